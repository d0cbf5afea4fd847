"""The page of an experiment: complete, in order, and reproducible."""

from dataclasses import replace

import pytest
from tests.unit.report.outline import embedded, table_text, tables, words

from autostrada.errors import UsageError
from autostrada.report.pages.run_page import run_page, write_page


@pytest.fixture(scope="module")
def html(market_path, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "market.html"
    return write_page(market_path, path).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def text(html):
    return words(embedded(html))


@pytest.fixture(scope="module")
def of_market(market):
    return dict(tables(run_page(market, [])))


def test_no_text_of_a_program_becomes_part_of_the_page(html, text):
    assert "</script><img src=http://example.org/x>" in text
    assert "<img" not in html
    assert "default-src 'none'" in html
    assert "Abacus 9 <b>" in text


def test_the_page_starts_with_the_answer(text):
    start = text[text.index("Who feeds how many? 21 November 2026, 09:00 UTC") :]
    assert start.index("Ada sends 2.00× (1.97× to 2.03×) as much as Cobol") < 120
    assert start.index("Of 6 published conclusions 1 is confirmed") < 220
    assert "1 confirmed 1 contradicted 2 inconclusive 2 not tested" in start


def titles(page):
    return [section.title for section in page.sections]


def test_what_is_the_result_stands_first(market, race):
    assert titles(run_page(market, [])) == [
        "",
        "Failures and disturbances",
        "The published conclusions",
        "Published and measured values",
        "Systems, versions and settings of the publication",
        "Rankings",
        "All cells",
        "How it was measured, and how to repeat it",
        "Machine and versions",
    ]
    assert titles(run_page(race, []))[:2] == ["", "Rankings"]


def test_a_run_that_tests_no_conclusion_has_no_table_of_them(results_of):
    untested = run_page(results_of(attempts=0), [])
    assert "The published conclusions" not in titles(untested)
    assert "Published and measured values" in titles(untested)


@pytest.mark.parametrize(
    "expected",
    [
        "The great market of 1999: their page, on their machine.",
        "stocks in a message. Published: it falls",
        "ada-server · received per second, as messages in 10 s, higher is better",
        "out of memory: killed at 8 GiB after 41 s",
        "Throughput (11 cells)",
        "broken (cobol-server → engine in json processes=2 stocks=1): ",
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


@pytest.mark.parametrize("name", ["table-conclusions", "table-systems"])
def test_a_table_of_the_publication(of_market, snapshot, name):
    snapshot(f"{name}.csv", table_text(of_market[name]))


def test_published_values_stand_beside_ours(of_market, snapshot):
    found = [each for name, each in of_market.items() if name.startswith("published ")]
    snapshot("published.csv", "\n".join(map(table_text, found)))


def test_a_row_of_a_ranking_opens_to_its_reasons(of_market, snapshot):
    ranking = of_market["table-json processes=2 stocks=10"]
    snapshot("ranking.csv", table_text(ranking))


def test_every_metric_of_every_cell_is_in_a_table(of_market, market):
    groups = [
        each for each in of_market.values() if each.columns[1].title == "workload"
    ]
    shown = [cell for table in groups for row in table.rows for cell in row.cells[2:-1]]
    known = sum(len(outcome.metrics) for outcome in market.outcomes.values())
    assert sum(cell != "–" for cell in shown) == known


def test_a_cell_shows_how_many_of_its_clients_are_the_engine(market, ada_cell):
    mixed = replace(market.outcomes[ada_cell], reference_clients=3)
    outcomes = {**market.outcomes, ada_cell: mixed}
    shown = words(run_page(replace(market, outcomes=outcomes), []))
    assert f"{ada_cell.workload} (3 engine)" in shown
    assert "(3 engine): so many of the client processes are the engine." in shown


def test_the_same_run_gives_the_same_files(html, market_path, tmp_path):
    again = write_page(market_path, tmp_path / "market.html")
    assert again.read_text(encoding="utf-8") == html
    assert embedded(html)["data"] == "market.parquet"
    assert (tmp_path / "market.parquet").is_file()


def test_a_page_beside_an_archive_leaves_it_as_it_is(market_path, tmp_path):
    write_page(market_path, tmp_path / "first.html")
    archive = tmp_path / "first.parquet"
    before = archive.read_bytes()
    again = write_page(archive, tmp_path / "first.html")
    assert archive.read_bytes() == before
    assert embedded(again.read_text(encoding="utf-8"))["data"] == archive.name


def test_a_row_says_what_the_client_holds_of_a_text(race):
    shown = words(run_page(race, []))
    assert "text as UTF-8, validated by the library" in shown
    assert "text as UTF-8, not validated by the library" in shown
    assert "autostrada-engine load 1.2.3" in shown


def test_a_page_that_cannot_be_written_is_named(race_path, tmp_path):
    with pytest.raises(UsageError, match=r"cannot write .*no/small.html: No such file"):
        write_page(race_path, tmp_path / "no" / "small.html")
