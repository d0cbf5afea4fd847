"""The tables of an experiment: published ones, and those to download."""

from dataclasses import replace

import pytest
from tests.unit.report.market import RUN

from autostrada.report.claims import conclusions
from autostrada.report.export import csv_text
from autostrada.report.published import published_tables
from autostrada.report.ranking import rankings
from autostrada.report.tables import all_tables

POINTS = [
    f"json processes={processes} stocks={stocks}"
    for processes in (1, 2)
    for stocks in (1, 10)
]


@pytest.fixture(scope="module")
def tables(market):
    return all_tables(
        market, rankings(market), published_tables(market), (), conclusions(market)
    )


def test_there_is_a_table_for_each_part_of_the_page(tables):
    assert list(tables) == [
        *(f"table-{each}" for each in POINTS),
        "table-metrics",
        "table-published",
        "table-systems",
        "table-conclusions",
        "trials",
        "versions",
    ]


@pytest.mark.parametrize("name", ["published", "systems", "conclusions"])
def test_a_table_has_all_that_the_page_shows(tables, snapshot, name):
    snapshot(f"{name}.csv", csv_text(tables[f"table-{name}"]))


def test_a_ranking_has_a_row_for_each_cell(tables, snapshot):
    snapshot("ranking.csv", csv_text(tables[f"table-{POINTS[-1]}"]))


def test_every_metric_of_every_cell_is_a_row(tables, snapshot):
    rows = tables["table-metrics"]
    of_point = [row for row in rows if row["workload"] == POINTS[-1]]
    snapshot("metrics.csv", csv_text(of_point))


@pytest.mark.parametrize(
    ("seconds", "shown"), [(120, "10 s instead of 120 s"), (10, ""), (None, "")]
)
def test_a_shorter_trial_than_the_published_one_says_so(market, seconds, shown):
    table = market.publication.table[0].model_copy(update={"seconds": seconds})
    publication = market.publication.model_copy(update={"table": (table,)})
    [shortened] = published_tables(replace(market, publication=publication))
    assert shortened.rows[0].pairs[0].shortened == shown


def test_cells_that_the_run_does_not_include_are_counted(results_of):
    plan = RUN.plan.replace('"cobol-server", ', "")
    tables = published_tables(results_of(attempts=0, run=replace(RUN, plan=plan)))
    pair = tables[1].rows[0].pairs[0]
    assert (pair.is_tested, pair.absence, pair.ours) == (False, "", "")
    assert tables[1].untested_note == "3 of 4 cells are not tested by this run."
    assert tables[0].untested_note == ""


def test_without_a_publication_there_are_no_tables(market):
    alone = replace(market, publication=None)
    assert published_tables(alone) == []
    assert "table-systems" not in all_tables(alone, [], [], (), ())
