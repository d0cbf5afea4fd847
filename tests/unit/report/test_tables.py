"""The downloadable tables of an experiment."""

import pytest

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
