"""The searches of a run: rounds, their end, and resumption."""

import pytest

from autostrada.experiment.matrix import Attempt, Cell
from autostrada.runner.searches import Searches, searched_cells
from autostrada.workloads.echo import Echo

RAMP = Echo(
    name="ramp",
    kind="echo",
    window_s=1,
    search={"parameter": "connections", "first": 1, "last": 8, "repetitions": 2},
)
HELD = RAMP.model_copy(
    update={"search": RAMP.search.model_copy(update={"confirm_s": 60})}
)
STEADY = Echo(name="steady", kind="echo", window_s=1)
POINTS = {"ramp": RAMP, "steady": STEADY}
FAST, SLOW = (Cell(server=name, workload="ramp") for name in ("fast", "slow"))
CAPACITIES = {"fast": 5, "slow": 0}


def searches(tried=()):
    return Searches({FAST: RAMP, SLOW: RAMP}, 7, dict(tried))


def value_of(attempt):
    return int(attempt.cell.workload.split("connections=")[1].split()[0])


def meets_objective(attempt):
    return value_of(attempt) <= CAPACITIES[attempt.cell.server]


def carry_out(searches, rounds_max=100):
    """Return the trials and the results of all searches."""
    tried, found = {}, {}
    for _ in range(rounds_max):
        todo = searches.round()
        if not todo:
            break
        for attempt in todo:
            tried[attempt] = meets_objective(attempt)
            if over := searches.note(attempt, meets_objective=tried[attempt]):
                found[over[0]] = over[1].bracket
    return tried, found


def test_cells_of_searches_are_distinguished_from_others():
    steady = Cell(server="fast", workload="steady")
    assert searched_cells([FAST, steady], POINTS) == {FAST: RAMP}


def test_each_search_tries_one_value_per_round():
    first = searches().round()
    assert {attempt.cell.server for attempt in first} == {"fast", "slow"}
    assert {attempt.cell.workload for attempt in first} == {"ramp connections=1"}
    assert first == searches().round()


def test_each_ends_with_its_own_capacity():
    tried, found = carry_out(searches())
    assert (found[FAST].met, found[FAST].violated) == (5, 6)
    assert (found[SLOW].met, found[SLOW].violated) == (None, 1)
    slow = [each for each in tried if each.cell.server == "slow"]
    assert [(value_of(each), each.repetition) for each in slow] == [(1, 0), (1, 1)]


@pytest.mark.parametrize("rounds", range(9))
def test_finished_trials_are_not_repeated(rounds):
    whole, found = carry_out(searches())
    begun, found_before = carry_out(searches(), rounds_max=rounds)
    rest, found_after = carry_out(searches(begun))
    assert begun | rest == whole
    assert not begun.keys() & rest.keys()
    assert found_before | found_after == found


def test_only_values_of_a_search_belong_to_it():
    mine = searches()
    assert mine.owns(Cell(server="fast", workload="ramp connections=3"))
    for server, workload in [
        ("other", "ramp connections=3"),
        ("fast", "ramp"),
        ("fast", "ramp stocks=3"),
        ("fast", "ramp connections=many"),
        ("fast", "steady connections=3"),
    ]:
        cell = Cell(server=server, workload=workload)
        attempt = Attempt(cell=cell, repetition=0, is_warm_up=False)
        assert not mine.owns(cell)
        assert mine.note(attempt, meets_objective=True) is None


def test_a_value_is_a_workload_with_that_many_connections():
    cell = Cell(server="fast", workload="ramp connections=3")
    workload = searches().workload(cell)
    assert (workload.name, workload.connections) == ("ramp connections=3", 3)
    assert workload.search == RAMP.search


def test_each_point_of_a_sweep_has_its_own_search():
    swept = RAMP.model_copy(update={"sweep": {"every_ms": (10, 20)}})
    [point, _] = swept.points()
    cell = Cell(server="fast", workload=point.name)
    mine = Searches({cell: point}, 7, {})
    [attempt] = mine.round()
    assert attempt.cell.workload == "ramp every_ms=10 connections=1"
    assert mine.workload(attempt.cell).every_ms == 10


def test_longer_trials_are_points_of_their_own():
    mine = Searches({FAST: HELD}, 7, {})
    tried, found = carry_out(mine)
    assert (found[FAST].met, found[FAST].violated) == (5, 6)
    long = [each for each in tried if each.cell.workload.endswith(" window_s=60")]
    assert [(value_of(each), each.repetition) for each in long] == [(5, 0), (5, 1)]
    workload = mine.workload(long[0].cell)
    assert (workload.connections, workload.window_s) == (5, 60)
    assert mine.owns(long[0].cell)
    other = Cell(server="fast", workload="ramp connections=5 window_s=61")
    assert not mine.owns(other)


@pytest.mark.parametrize("rounds", range(11))
def test_a_search_that_confirms_is_resumed(rounds):
    whole, found = carry_out(Searches({FAST: HELD}, 7, {}))
    begun, found_before = carry_out(Searches({FAST: HELD}, 7, {}), rounds_max=rounds)
    rest, found_after = carry_out(Searches({FAST: HELD}, 7, begun))
    assert begun | rest == whole
    assert not begun.keys() & rest.keys()
    assert found_before | found_after == found


def test_the_upper_bound_of_remaining_trials_decreases():
    mine = searches()
    before = mine.left_max()
    workloads = [cell.workload for cell in before[FAST]]
    assert workloads[:2] == ["ramp connections=1", "ramp connections=2"]
    assert len(before[FAST]) == len(before[SLOW])
    for attempt in mine.round():
        mine.note(attempt, meets_objective=meets_objective(attempt))
    assert mine.left_max()[FAST] == before[FAST][1:]
    carry_out(mine)
    assert mine.left_max() == {}


def test_the_last_outcome_of_a_repeated_trial_counts():
    mine = searches()
    attempt = next(each for each in mine.round() if each.cell.server == "fast")
    mine.note(attempt, meets_objective=False)
    mine.note(attempt, meets_objective=True)
    values = {each.cell.server: value_of(each) for each in mine.round()}
    assert values == {"fast": 2, "slow": 1}
