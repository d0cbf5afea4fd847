"""The page as text: complete, self-contained, and the same from the same store."""

import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from autostrada.report.page import write_page
from autostrada.store.writer import StoreWriter

LOADING = {"src", "srcset", "poster", "data", "background", "action", "formaction"}


class Outline(HTMLParser):
    """The elements of a page, its visible text, and what it would load."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.loads, self.text, self.scripts = [], [], [], []
        self._open = None
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self._open = tag if tag in ("script", "style") else None
        self.loads += [value for name, value in attrs if name in LOADING]
        if tag == "link":
            self.loads += [dict(attrs).get("href")]

    def handle_endtag(self, tag):
        self._open = None

    def handle_data(self, data):
        (self.text if self._open is None else self.scripts).append(data)


@pytest.fixture(scope="module")
def html(race_path, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "small.html"
    write_page(race_path, path)
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def outline(html):
    return Outline(html)


@pytest.fixture(scope="module")
def text(outline):
    return re.sub(r"\s+", " ", " ".join(outline.text))


def test_it_loads_nothing(html, outline):
    assert outline.loads == []
    assert {"iframe", "img", "object", "embed", "base", "link"}.isdisjoint(outline.tags)
    style, ours = outline.scripts[0], outline.scripts[-1]
    assert "@import" not in style
    assert "url(" not in style
    assert "fetch(" not in ours
    assert "default-src 'none'" in html
    assert "cdn." not in html


def test_what_a_contestant_printed_stays_text(outline, text):
    assert "img" not in outline.tags
    assert "</script><img src=http://example.org/x>" in text
    assert "Abacus 9 <b>" in text


def test_it_is_the_same_from_a_copy_of_the_store(html, race_path, tmp_path):
    copy = shutil.copy(race_path, tmp_path / "copy.duckdb")
    write_page(copy, tmp_path / "small.html")
    assert (tmp_path / "small.html").read_text(encoding="utf-8") == html


def test_it_starts_with_who_won_by_how_much_and_why(text):
    answer = text[text.index("Who is fast? 20 November 2026, 21:00 UTC") :]
    assert answer.index("ada-fast is the fastest. The next, cobol-mid") < 200
    assert "200 ms for 1 000 000 messages" in answer
    assert "5.00 M messages a second" in answer
    assert "≥ 10.0\N{MULTIPLICATION SIGN} as long as the reference client" in answer
    assert "ada-fast itself was the limit. Engine (server) busy 20%" in answer


@pytest.mark.parametrize(
    "words",
    [
        "Durations are scaled to 1 000 000 messages.",
        "392\N{EN DASH}404 at 87.5%",
        "crashed in repetition 5: ended by signal 11",
        "1 repetition failed, the figures are those of the other 4.",
        "requirement missing : dart is missing: apt install dart",
        "erlang-absent not measured here",
        "engine 5.0×",
        "The limit: client CPU. Engine (server) busy 20% of the time; client at 100%",
        "Without it engine would be next, at 5.0× the rate.",
        "shared core no",
        "Published: Their table (their page).",
        "with 93.7% confidence where nothing else is said",
        "Nothing else was left out",
        "memory 8.00 GiB",
        "warm-up, not counted",
        "Every trial, in the order in which they ran (45)",
        "autostrada run small",
        "these figures rank the engine, not the libraries",
        "5.00 M a CPU s",
        "CV 1.58%",
        "1 trial was disturbed and repeated: steal 4% of core 1 (repetition 5).",
        "1 trial was disturbed and repeated, of 41 in all.",
        "5, retry 1",
        "Not observed: sockets: the kernel <knows> no sock_diag",
        "It was over before it was looked at.",
        "A byte of payload is 1.18 bytes on the wire.",
        "Why did erlang-absent win by a factor of 3.0 over the median of the others",
        "One system call a frame The original server made a system call for every",
        "Compression Nothing: it needs a workload whose server grants it",
    ],
)
def test_it_says(text, words):
    assert words in text.replace("</b>", "")


def test_it_draws_every_chart(html):
    names = set(re.findall(r'data-chart="([^"]+)"', html))
    assert names == {
        "race-batched",
        "race-one-by-one",
        "series-batched",
        "series-one-by-one",
        "workloads",
        "published",
    }
    assert all(
        f'<script type="application/json" id="{name}">' in html for name in names
    )


def test_a_machine_with_one_core_is_marked(run, tmp_path):
    host = '{"cores": 1, "is_shared_core": "true"}'
    with StoreWriter.create_or_open(tmp_path / "one.duckdb") as writer:
        writer.start_run(replace(run, host=host))
    text = write_page(tmp_path / "one.duckdb").read_text(encoding="utf-8")
    assert "Server and client shared a core" in text


def test_every_measured_cell_has_a_course_of_four_panels(html):
    assert html.count('<div class="course"') == 8
    assert html.count('<figure class="panel">') == 8 * 4


def test_a_course_is_drawn_without_a_script(outline):
    assert outline.tags.count("polyline") > 100


@pytest.mark.parametrize("attempts", [0, 4, 12, 13])
def test_a_run_that_was_cut_short_has_a_page_too(write_race, tmp_path, attempts):
    write_race(tmp_path / "cut.duckdb", attempts=attempts)
    write_page(tmp_path / "cut.duckdb", tmp_path / "cut.html")
    html = (tmp_path / "cut.html").read_text(encoding="utf-8")
    assert "This run is not complete" in html
    assert "not measured yet" in html


def test_it_says_that_the_instrument_is_not_calibrated(text):
    assert "The instrument is not calibrated: run autostrada calibrate." in text
