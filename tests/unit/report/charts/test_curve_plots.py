"""The cells that a curve connects, and the curves that share a chart."""

from dataclasses import replace

import pytest

from autostrada.experiment.matrix import Cell
from autostrada.report.charts.curve_plots import LINES_MAX, parsed, sweeps


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
