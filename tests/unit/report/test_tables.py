"""The downloadable tables of an experiment."""

import pytest

from autostrada.report.claims import conclusions
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


def test_every_metric_of_every_cell_is_a_row(tables, ada_cell):
    rows = [
        row
        for row in tables["table-metrics"].rows
        if (row["server"], row["workload"]) == (ada_cell.server, ada_cell.workload)
    ]
    metrics = {row["metric"]: row for row in rows}
    assert metrics["received_per_client_per_s"]["median"] == 1000
    assert metrics["received_per_client_per_s"]["bottleneck"] == "server CPU"
    assert metrics["latency_ms_max"]["median"] == 5


def test_a_cell_without_metrics_has_a_reason(tables):
    [row] = [
        row
        for row in tables["table-metrics"].rows
        if row["server"] == "cobol-server" and "metric" not in row
    ]
    assert row["absence"] == "out of memory: killed at 8 GiB after 41 s"


def test_published_metrics_are_beside_measured_ones(tables):
    first, *_ = tables["table-published"].rows
    assert (first["published"], first["median"], first["to_published"]) == (
        500,
        1000,
        2,
    )


def test_published_metrics_are_in_both_units(tables):
    rows = tables["table-published"].rows
    [row] = [row for row in rows if row["as_published"] == 45.2]
    assert (row["published"], row["published_unit"]) == (45_200, "s")


def test_every_system_is_a_row(tables):
    first, *_ = tables["table-systems"].rows
    assert (first["name"], first["state"], first["by"]) == (
        "Algol",
        "replaced",
        "ada-server",
    )


def test_claims_have_their_evidence(tables):
    rows = {row["conclusion"]: row for row in tables["table-conclusions"].rows}
    assert rows["Ada sends more than Cobol."]["finding"] == "confirmed"
    assert "1.99×" in rows["Ada sends more than Cobol."]["shown"]
    assert rows["It was a fine day."]["reason"] == "Nobody can measure that."


def test_a_ranking_has_a_row_for_each_cell_with_its_ratio(tables):
    rows = tables["table-json processes=1 stocks=1"].rows
    assert [(row["rank"], row["server"], row.get("to_best")) for row in rows[:1]] == [
        (1, "ada-server", 1)
    ]
    assert rows[-1]["failures"] == "not installed"
