"""The page of an experiment and the files beside it: complete and reproducible."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest

from autostrada.errors import UsageError
from autostrada.report.export import PageLocation
from autostrada.report.number import THIN_SPACE
from autostrada.report.page import make_page, page, write_page


class Outline(HTMLParser):
    """The visible text of a page, and its elements."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.text = [], []
        self._is_hidden = False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self._is_hidden = tag in ("script", "style")

    def handle_endtag(self, tag):
        self._is_hidden = False

    def handle_data(self, data):
        if not self._is_hidden:
            self.text.append(data)


@pytest.fixture(scope="module")
def html(market_path, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "market.html"
    return write_page(market_path, path).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def text(html):
    shown = " ".join(Outline(html).text).replace(THIN_SPACE, " ")
    return re.sub(r"\s+", " ", shown)


def test_the_page_loads_nothing_and_escapes_output_of_programs(html, text):
    assert {"img", "iframe", "link", "object"}.isdisjoint(Outline(html).tags)
    assert "default-src 'none'" in html
    assert "</script><img src=http://example.org/x>" in text
    assert "Abacus 9 <b>" in text


def test_the_page_starts_with_the_answer(text):
    start = text[text.index("Who feeds how many? 21 November 2026, 09:00 UTC") :]
    assert start.index("Ada sends 2.00× (1.97× to 2.03×) as much as Cobol") < 120
    assert start.index("Of 6 published conclusions 1 is confirmed") < 220
    assert "1 confirmed 1 contradicted 2 inconclusive 2 not tested" in start


def test_conclusions_charts_tables_and_systems_precede_everything_else(text):
    titles = [
        "The published conclusions",
        "Published and measured values",
        "Clients: received per second by each client, over stocks in a message",
        "Received by each client",
        "Systems, versions and settings of the publication",
        "All cells",
        "Over time",
    ]
    places = [text.index(f" {title} ") for title in titles if title[0] != "C"]
    assert places == sorted(places)
    assert places[1] < text.index(titles[2]) < places[2]


@pytest.mark.parametrize(
    "expected",
    [
        "The great market of 1999: their page, on their machine.",
        "Algol server, 60 replaced ada-server Ada is like it.",
        "stocks in a message. Published: it falls",
        "ada-server · received per second, as messages in 10 s, higher is better",
        "2 Ada sends three times as much why",
        "500 1,000 990–1,010 2.00× 1.98–2.02 server CPU",
        "100 by hand",
        "out of memory: killed at 8 GiB after 41 s",
        "Throughput (11 cells)",
        "cobol-server → engine in json processes=2 stocks=1: broken",
        "autostrada plan market",
        "autostrada report --run 1",
        "with 93.7% confidence if no repetition failed",
        "1 trial was disturbed and repeated, of 61 in all.",
        "All trials, in the order in which they ran (61)",
        "The instrument is not calibrated",
    ],
)
def test_the_page_contains(text, expected):
    assert expected in text


def test_a_cell_shows_how_many_of_its_clients_are_the_engine(
    market, ada_cell, tmp_path
):
    mixed = replace(market.outcomes[ada_cell], reference_clients=3)
    results = replace(market, outcomes={**market.outcomes, ada_cell: mixed})
    html = page(results, [], PageLocation(path=tmp_path / "market.html")).html
    assert f"{ada_cell.workload} (3 engine)" in html
    assert "(3 engine): so many of the client processes are the engine." in html


def test_the_script_of_charts_is_created_once_and_cached(
    html, market_path, tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    write_page(market_path, tmp_path / "first.html")
    (stored,) = tmp_path.glob("autostrada/vega-*.js")
    assert stored.read_text(encoding="utf-8") in html
    stored.write_text("/* stored */", encoding="utf-8")
    second = write_page(market_path, tmp_path / "second.html")
    assert "/* stored */" in second.read_text(encoding="utf-8")


def test_a_page_needs_no_cache(html, market_path, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    path = write_page(market_path, tmp_path / "market.html")
    assert path.read_text(encoding="utf-8") == html


@pytest.fixture(scope="module")
def location(reader, race, tmp_path_factory):
    location = PageLocation(path=tmp_path_factory.mktemp("files") / "small.html")
    make_page(reader, race, location)
    return location


def test_every_link_leads_to_a_file_and_every_file_is_linked(location):
    html = location.path.read_text(encoding="utf-8")
    linked = re.findall(r'<a href="([^"]+)" download>', html)
    files = {f"small/{path.name}" for path in location.folder.iterdir()}
    assert {unquote(link) for link in linked} == files
    assert {name.rpartition(".")[2] for name in files} == {"svg", "csv", "parquet"}


def test_the_same_run_gives_the_same_files(location, race_path, tmp_path):
    write_page(race_path, tmp_path / "small.html")
    for path in location.folder.iterdir():
        assert (tmp_path / "small" / path.name).read_bytes() == path.read_bytes()


def test_a_row_says_what_the_client_holds_of_a_text(location):
    html = location.path.read_text(encoding="utf-8")
    assert "<small>text as UTF-8, validated by the library</small>" in html
    assert "<td>text as UTF-8, not validated by the library</td>" in html
    assert "<small>autostrada-engine load 1.2.3</small>" in html


def test_a_file_in_place_of_the_folder_is_named(race_path, tmp_path):
    (tmp_path / "small").write_text("mine")
    with pytest.raises(UsageError, match=r"cannot write .*small: File exists; choose"):
        write_page(race_path, tmp_path / "small.html")
    assert (tmp_path / "small").read_text() == "mine"
