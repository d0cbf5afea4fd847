"""The charts of an experiment, and their places."""

from dataclasses import replace

from autostrada.report.charts.selection import all_charts
from autostrada.report.published import published_tables
from autostrada.report.ranking import rankings


def test_charts_are_named_by_the_group_of_their_metric(market):
    titles = {name: each.title for name, each in all_charts(market, [], ()).items()}
    assert titles["throughput-2"].startswith("Throughput: received per second, over")
    assert titles["latency-1"].startswith("Latency: mean latency, over client")
    assert all(
        title.lower().startswith(name.partition("-")[0].lower())
        for name, title in titles.items()
        if not name.startswith("published")
    )


def test_a_published_chart_has_its_lines_maximum_and_published_values(market, rows_of):
    chart = all_charts(market, [], published_tables(market))["published-1"]
    assert chart.title == (
        "Clients: received per second by each client, over stocks in a message. "
        "Published: it falls"
    )
    assert [key.label for key in chart.legend] == [
        "Algol",
        "Cobol",
        "theoretical maximum",
        "published",
    ]
    maxima = rows_of(chart, "x", "maximum")
    assert [row["x"] for row in maxima] == [1, 10]
    algol = [row for row in chart.table if row["line"] == "Algol"]
    assert [row["x"] for row in algol] == [1, 10]
    assert algol[0]["published"] == 500


def test_a_published_chart_without_metrics_is_left_out(results_of):
    assert "published-1" not in all_charts(results_of(attempts=0), [], ())


def test_without_measurements_there_are_no_charts(market):
    empty = replace(market, outcomes={}, publication=None)
    assert all_charts(empty, rankings(empty), ()) == {}


def test_a_race_has_its_rankings_beside_each_other_and_the_published_ones(race):
    charts = all_charts(race, rankings(race), published_tables(race))
    assert list(charts)[:3] == [
        "published",
        "ranking-batched",
        "ranking-one-by-one",
    ]
    assert charts["published"].title.startswith(
        "time for the first million messages, relative"
    )
