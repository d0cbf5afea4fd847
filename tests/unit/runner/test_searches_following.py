"""Workloads after a search: tried once, at its result, with the same two ends."""

import pytest

from autostrada.experiment.matrix import Attempt, Cell
from autostrada.runner.searches import Searches, searched_cells
from autostrada.workloads.feed import Feed

STEADY = Feed(
    name="steady",
    kind="feed",
    feed="clock",
    seconds=1,
    every_ms=100,
    search={
        "parameter": "connections",
        "first": 10,
        "last": 40,
        "precision": 0.5,
        "repetitions": 1,
    },
)
HOLD = Feed(
    name="hold", kind="feed", feed="clock", seconds=600, connections_of="steady"
)
POINTS = {"steady": STEADY, "hold": HOLD}
SERVERS = ("ada-fast", "ada-slow")
CELLS = [Cell(server=server, workload=name) for server in SERVERS for name in POINTS]
CAPACITY = {"ada-fast": 40, "ada-slow": 5}


def searches(tried=None):
    return Searches(searched_cells(CELLS, POINTS), 7, tried or {})


def carry_out(these):
    """Run all trials; return the attempts with their outcomes."""
    tried = {}
    while todo := these.round():
        for attempt in todo:
            workload = these.workload(attempt.cell)
            tried[attempt] = workload.connections <= CAPACITY[attempt.cell.server]
            these.note(attempt, meets_objective=tried[attempt])
    return tried


def hold(server):
    return Cell(server=server, workload="hold")


def test_it_is_tried_once_at_the_result_unless_nothing_was_found():
    these = searches()
    tried = carry_out(these)
    held = [attempt for attempt in tried if attempt.cell.workload == "hold"]
    assert held == [Attempt(cell=hold("ada-fast"), repetition=0, is_warm_up=False)]
    workload = these.workload(hold("ada-fast"))
    assert (workload.name, workload.connections) == ("hold", 40)
    assert workload.seconds == 600


def test_it_comes_after_its_search():
    order = [str(attempt.cell) for attempt in carry_out(searches())]
    assert order[-1] == "ada-fast in hold"


def test_it_is_counted_until_it_was_tried_or_nothing_was_found():
    these = searches()
    left = these.left_max()
    for server in SERVERS:
        assert left[hold(server)] == [hold(server)]
    carry_out(these)
    assert these.left_max() == {}


def test_before_its_size_is_known_the_maximum_is_assumed():
    workload = searches().workload(hold("ada-fast"))
    assert (workload.seconds, workload.connections) == (600, 40)


def test_it_is_resumed():
    tried = carry_out(searches())
    assert searches(tried).round() == []
    without = {
        attempt: meets_objective
        for attempt, meets_objective in tried.items()
        if attempt.cell.workload != "hold"
    }
    (attempt,) = searches(without).round()
    assert attempt.cell == hold("ada-fast")


@pytest.mark.parametrize("cell", CELLS[1::2], ids=str)
def test_it_is_not_a_value_of_a_search_but_belongs_to_one(cell):
    assert searches().owns(cell)
    assert not searches().owns(Cell(server="ada-none", workload="hold"))
