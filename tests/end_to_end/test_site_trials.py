"""Single trials in a real browser: what a site reads from the Parquet of its runs."""

import csv
import shutil
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import duckdb
import pytest
from command_line import autostrada
from tests.unit.report.race import write_race

AXE = Path(__file__).parents[2] / "site/node_modules/axe-core/axe.min.js"
PHONE = 390
DATA = "runs/small-2026-11-20.parquet"
METRICS = {
    "time for the first million messages, ms": ("ms_per_million", 1),
    "messages per second": ("messages_per_s", 1),
    "client CPU, per message, ns": ("client_cpu_us_per_message", 0.001),
    "client memory, MiB": ("client_memory_bytes_max", 2**20),
}
"""Metrics by the title of their column, each with the size of its unit."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = autostrada(
        "site", write_race(folder / "race.duckdb"), "--out", folder / "out"
    )
    assert command.returncode == 0, command.stderr
    return folder / "out"


@pytest.fixture
def site(made, tmp_path):
    """Return a copy of the site, which a test may damage."""
    return shutil.copytree(made, tmp_path / "site")


@pytest.fixture
def url(site):
    handler = partial(SimpleHTTPRequestHandler, directory=site)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def page(browser):
    page = browser.new_page()
    yield page
    page.close()


def open_trials(page, address, *texts):
    """Open the single trials of the first row with these texts, and return them."""
    page.goto(address)
    rows = page.locator("tr", has=page.get_by_role("button", name="why", exact=True))
    for text in texts:
        rows = rows.filter(has_text=text)
    rows.first.get_by_role("button", name="why").click()
    summary = page.get_by_text("single trials", exact=True)
    summary.click()
    return page.locator("details", has=summary).last


@pytest.mark.parametrize("name", ["index", "libraries/ada-fast", DATA[:-8]])
def test_trials_have_the_values_that_duckdb_reads(page, site, url, name):
    problems = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    trials = open_trials(page, f"{url}/{name}.html", "ada-fast")
    with page.expect_download() as download:
        trials.get_by_role("button", name="CSV").click()
    rows = [*csv.DictReader(download.value.path().read_text().splitlines())]
    assert [row["repetition"] for row in rows] == ["1", "2", "3", "4", "5"]
    for title, (metric, unit) in METRICS.items():
        stored = duckdb.execute(
            f"SELECT value FROM '{site / DATA}' WHERE record = 'value' AND metric = ? "
            "AND client = 'ada-fast' AND workload = 'batched' ORDER BY repetition",
            [metric],
        ).fetchall()
        values = [float(row[title]) * unit for row in rows]
        assert values == pytest.approx([value for (value,) in stored], rel=1e-12)
    assert problems == []


def test_failed_and_disturbed_trials_and_rates_over_time_are_shown(page, url):
    trials = open_trials(page, f"{url}/index.html", "cobol-mid", "batched")
    failed = trials.get_by_role("row").filter(has_text="repetition 5")
    assert "crashedended by signal 11" in failed.text_content()
    trials = open_trials(page, f"{url}/index.html", "bash-slow", "one-by-one")
    disturbed = trials.get_by_role("row").filter(has_text="others used 40% of core 1")
    disturbed.get_by_role("cell", name="no", exact=True).wait_for()
    trials = open_trials(page, f"{url}/index.html", "bash-slow", "batched")
    trials.get_by_role("img").nth(4).wait_for()


@pytest.mark.parametrize("damage", ["missing", "broken", "foreign"])
def test_a_file_that_cannot_be_read_is_a_sentence(page, site, url, damage):
    if damage == "missing":
        (site / DATA).unlink()
    elif damage == "broken":
        (site / DATA).write_bytes(b"PAR1 and then nothing")
    else:
        duckdb.execute(f"COPY (SELECT 'other' AS record) TO '{site / DATA}'")
    trials = open_trials(page, f"{url}/index.html", "ada-fast")
    trials.get_by_text(f"{DATA} cannot be read: ").wait_for()


def test_without_a_server_a_sentence_says_how_to_start_one(page, site):
    trials = open_trials(page, (site / "index.html").as_uri(), "ada-fast")
    trials.get_by_text("run python3 -m http.server in the folder").wait_for()


@pytest.mark.skipif(not AXE.exists(), reason="axe is not installed: npm ci in site/")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_trials_are_accessible_and_not_wider_than_a_phone(browser, url, scheme):
    context = browser.new_context(
        color_scheme=scheme, bypass_csp=True, viewport={"width": PHONE, "height": 900}
    )
    page = context.new_page()
    trials = open_trials(page, f"{url}/{DATA[:-8]}.html", "bash-slow")
    trials.get_by_role("table").wait_for()
    width = page.evaluate("document.documentElement.scrollWidth")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({resultTypes: ['violations']})")
    context.close()
    assert width <= PHONE
    assert [each["id"] for each in found["violations"]] == []
