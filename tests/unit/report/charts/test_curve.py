"""Curves: what they connect and contain, and those that share a chart."""

from dataclasses import replace

import pytest
from tests.unit.report.outline import csv_text

from autostrada.experiment.matrix import Cell
from autostrada.report.charts.curve import curve_chart
from autostrada.report.charts.curve_plots import LINES_MAX, parsed, sweeps
from autostrada.report.pages.document import as_json
from autostrada.report.published import published_tables
from autostrada.stats.metrics import METRICS

RATE = METRICS["received_per_client_per_s"]


@pytest.fixture(scope="module")
def few_stocks(market):
    return sweeps(market)[0]


def test_a_point_has_median_interval_and_published_value_or_a_reason(
    market, few_stocks, snapshot
):
    chart = curve_chart(few_stocks.plot(RATE), published_tables(market))
    rows = as_json(chart.table)
    snapshot("curve.csv", csv_text([rows[0], *(row.values() for row in rows)]))


def test_failures_are_marked_and_published_points_lie_above(market, few_stocks):
    marks = curve_chart(few_stocks.plot(RATE), published_tables(market)).marks
    drawn = [(mark.kind, len(mark.rows)) for mark in marks[2:]]
    assert drawn == [("dot", 4), ("dot", 1), ("text", 2)]
    assert marks[2].rows[0]["title"] == (
        "line: ada-server\nx: 1\nreceived per second by each client: 1,000\n"
        "bottleneck: server CPU"
    )


def test_published_points_differ_in_shape(market, few_stocks):
    legend = curve_chart(few_stocks.plot(RATE), published_tables(market)).legend
    assert [(key.label, key.shape) for key in legend] == [
        ("ada-server", "dot"),
        ("cobol-server", "dot"),
        ("dart-server", "dot"),
        ("published", "hollow"),
    ]


def test_the_title_names_metric_parameter_and_common_values(market, few_stocks):
    assert curve_chart(few_stocks.plot(RATE), published_tables(market)).title == (
        "Throughput: received per second by each client, over client processes (json, "
        "engine, stocks=1), × marks failures"
    )


def test_a_metric_without_values_makes_no_chart(market, few_stocks):
    assert (
        curve_chart(
            few_stocks.plot(METRICS["wire_bytes_per_s"]),
            published_tables(market),
        )
        is None
    )


def test_one_measured_point_is_no_curve(market, few_stocks):
    ada = few_stocks.lines[0]
    alone = replace(few_stocks, lines=(replace(ada, points=ada.points[:1]),))
    assert curve_chart(alone.plot(RATE), published_tables(market)) is None


@pytest.fixture
def many(market):
    """
    Return a function: the market with cells of this many servers, in two workloads.
    """
    outcome = next(iter(market.outcomes.values()))

    def make(servers):
        cells = [
            Cell(server=f"server-{number}", workload=f"{name} connections={count}")
            for name in ("one", "two")
            for number in range(servers)
            for count in (1, 64)
        ]
        outcomes = {cell: replace(outcome, cell=cell, metrics={}) for cell in cells}
        return replace(market, outcomes=outcomes)

    return make


def test_further_swept_parameters_make_separate_charts(market):
    swept = [each for each in sweeps(market) if each.others]
    assert [(each.parameter, each.others) for each in swept] == [
        ("processes", {"stocks": 1}),
        ("processes", {"stocks": 10}),
    ]
    assert swept[0].labels == ("ada-server", "cobol-server", "dart-server")
    assert swept[0].title == "json, engine, stocks=1"
    [ada, *_] = swept[0].lines
    assert [x for x, _ in ada.points] == [1, 2]


def test_an_open_loop_is_drawn_over_the_offered_load(market):
    [offered] = [each for each in sweeps(market) if not each.others]
    assert offered.parameter == "offered_per_s"
    [line] = offered.lines
    assert [x for x, _ in line.points] == [100, 150, 200, 400]


def test_a_few_lines_of_several_workloads_share_a_chart(many):
    [sweep] = sweeps(many(servers=4))
    assert len(sweep.lines) == LINES_MAX
    assert sweep.labels[0] == "one · server-0"


def test_too_many_lines_are_divided_by_workload_then_by_server(many):
    assert [len(each.lines) for each in sweeps(many(servers=8))] == [8, 8]
    assert [len(each.lines) for each in sweeps(many(servers=9))] == [1] * 18


def test_a_workload_without_a_sweep_makes_no_chart(market, ada_cell):
    outcomes = {ada_cell: market.outcomes[ada_cell]}
    assert sweeps(replace(market, outcomes=outcomes)) == []


def test_a_point_is_parsed_from_its_name():
    cell = Cell(workload="json processes=2 every_ms=0.5")
    assert parsed(cell) == ("json", {"processes": 2, "every_ms": 0.5})
