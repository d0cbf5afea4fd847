"""The page of a run while it goes on, read as a stream and in a browser."""

import json
import re
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread

import pytest

WORKS = "faulty-client"
LIMIT_S = 600
LAST = "The run has ended. Its page: "


class Followed:
    """A run with ``--live``, from its first page to its last."""

    def __init__(self, process, browser):
        line = next(line for line in process.stderr if line.startswith("live: "))
        self.port = int(re.fullmatch(r"live: http://127\.0\.0\.1:(\d+)/\n", line)[1])
        with closing(self.request("/events")) as connection:
            response = connection.getresponse()
            self.pages = [page_of(response)]
            self.statuses = [
                self.status(path, host)
                for path in ("/", "/events", "/other")
                for host in (
                    None,
                    "example.org",
                    f"example.org:{self.port}",
                    "127.0.0.1",
                )
            ]
            # A client that reads nothing for ten seconds is left.
            reader = Thread(target=self.read, args=(response,))
            reader.start()
            self.see(browser)
            reader.join(LIMIT_S)
        self.output, self.lines = process.communicate(timeout=LIMIT_S)
        self.returncode = process.returncode

    def read(self, response):
        while page := page_of(response):
            self.pages.append(page)

    def see(self, browser):
        """Open and order a table as soon as it has a row; read it after the run."""
        page = browser.new_page()
        page.set_default_timeout(1000 * LIMIT_S)
        self.problems = []
        page.on("console", lambda message: self.problems.append(message.text))
        page.goto(f"http://localhost:{self.port}/")
        why = page.locator("tr", has_text="reference").get_by_role("button", name="why")
        why.click()
        page.get_by_role("button", name="contestant").click()
        page.get_by_text(LAST).wait_for()
        self.is_open = why.get_attribute("aria-expanded")
        self.order = page.locator("th[aria-sort=ascending]").text_content()
        self.seen = page.get_by_role("status").text_content()
        page.close()

    def request(self, path, host=None):
        connection = HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)
        connection.request("GET", path, headers={"Host": host} if host else {})
        return connection

    def status(self, path, host):
        with closing(self.request(path, host)) as connection:
            return connection.getresponse().status


def page_of(response):
    line = response.readline()
    assert not line or response.readline() == b"\n"
    return json.loads(line.removeprefix(b"data: ")) if line else None


def measured(page):
    blocks = page["sections"][1]["blocks"]
    [table] = [block for block in blocks if block["type"] == "Table"]
    rows = [row for row in table["rows"] if row.get("kind") != "broken"]
    return [row["cells"][1]["text"] for row in rows]


@pytest.fixture(scope="module")
def followed(workspace, browser):
    workspace.add()
    workspace.plan(WORKS, repetitions=8, messages=200_000)
    with workspace.start("--live", "--seed", "7") as process:
        try:
            return Followed(process, browser)
        finally:
            process.kill()


def test_rows_arrive_before_the_run_ends(followed):
    first, *others, last = followed.pages
    assert {page["events"] for page in (first, *others)} == {"events"}
    assert measured(first) == []
    assert any(map(measured, others))
    assert measured(last) == ["reference", WORKS]
    facts = dict(first["sections"][0]["blocks"][0]["items"])
    assert facts["finished trials"] == "0/16"
    assert facts["present trial"].endswith("many-frames repetition 1")


def test_the_last_page_names_the_page_of_the_run(followed):
    assert followed.returncode == 0
    assert "events" not in followed.pages[-1]
    path = followed.pages[-1]["status"].removeprefix(LAST)
    assert Path(path).exists()
    assert f"page: {path}" in followed.output
    assert "live: " not in followed.lines


def test_a_browser_keeps_what_is_open_and_ordered(followed):
    assert followed.seen == followed.pages[-1]["status"]
    assert (followed.is_open, followed.order) == ("true", "contestant")
    assert followed.problems == []


def test_only_own_names_and_paths_are_answered(followed):
    assert followed.statuses == [200, *3 * [403], 200, *3 * [403], 404, *3 * [403]]
