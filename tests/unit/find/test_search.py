"""A search with known capacities and random outcomes."""

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from autostrada.find.search import (
    NOISE_FACTOR,
    Bracket,
    EdgeSearch,
    bracket,
    edges_confidence,
    next_value,
    trials_max,
)

SEARCHES = st.builds(
    EdgeSearch,
    first=st.integers(1, 200),
    last=st.integers(200, 100_000),
    factor=st.floats(1.1, 4),
    precision=st.floats(0.01, 0.5),
    repetitions=st.integers(1, 5),
)


def search(**settings):
    values = {"first": 100, "last": 20_000, "factor": 2, "precision": 0.05}
    return EdgeSearch(**values | {"repetitions": 3} | settings)


def run(search, meets_objective):
    """
    Return the edges that a search finds, and its trials.

    ``meets_objective`` is a function of the value.
    """
    outcomes = {}
    while (value := next_value(search, outcomes)) is not None:
        met = meets_objective(value)
        outcomes.setdefault(value, []).append(met)
    return bracket(outcomes), outcomes


def test_it_climbs_bisects_and_repeats_the_edges():
    found, outcomes = run(search(precision=0.1), lambda value: value <= 1_000)
    assert [*outcomes] == [100, 200, 400, 800, 1600, 1200, 1000, 1100]
    assert found == Bracket(met=1000, violated=1100)
    repeated = {value: len(tried) for value, tried in outcomes.items() if tried[1:]}
    assert repeated == {1000: 3, 1100: 3}


def test_without_a_violation_the_last_value_is_repeated():
    found, outcomes = run(search(last=700), lambda _: True)
    assert found == Bracket(met=700, violated=None)
    assert outcomes == {100: [True], 200: [True], 400: [True], 700: [True] * 3}


def test_a_violation_at_the_first_value_is_repeated():
    found, outcomes = run(search(), lambda _: False)
    assert found == Bracket(met=None, violated=100)
    assert outcomes == {100: [False] * 3}


def test_a_single_value_can_be_searched():
    found, _ = run(search(first=5, last=5, repetitions=1), lambda _: True)
    assert found == Bracket(met=5, violated=None)


def test_an_edge_with_another_outcome_moves_the_bracket():
    moved = {100: [True], 200: [True] * 2, 210: [False, True, True], 400: [False]}
    assert bracket(moved) == Bracket(met=210, violated=400)
    assert next_value(search(), moved) == 305
    lowered = {100: [True], 200: [True, False], 210: [False]}
    assert bracket(lowered) == Bracket(met=100, violated=200)


def test_a_random_violation_on_the_way_up_is_detected():
    chances = iter([True, False])
    found, outcomes = run(
        search(), lambda value: value <= 1_000 and (value != 200 or next(chances, True))
    )
    assert len(outcomes[200]) <= 3
    assert found.met <= 1_000


def test_edges_of_whole_numbers_are_adjacent():
    found, _ = run(search(first=1, last=16), lambda value: value <= 4)
    assert found == Bracket(met=4, violated=5)


# Steps of the ramp are rounded down to whole numbers, which makes more of them.
SHORT_STEPS = search(first=9, last=8472, factor=1.1, precision=0.1, repetitions=1)


@given(SEARCHES, st.integers(0, 120_000))
@example(SHORT_STEPS, 120_000)
def test_a_sharp_capacity_is_found_within_the_predicted_trials(search, capacity):
    found, outcomes = run(search, lambda value: value <= capacity)
    assert sum(map(len, outcomes.values())) <= trials_max(search)
    assert found.met is None or found.met <= capacity
    assert found.violated is None or found.violated > capacity
    if None not in (found.met, found.violated):
        gap = found.violated - found.met
        assert gap <= max(1, search.precision * found.violated)
    assert (found.met is None) == (capacity < search.first)
    assert (found.violated is None) == (capacity >= search.last)
    edges = [edge for edge in (found.met, found.violated) if edge is not None]
    assert all(len(outcomes[edge]) == search.repetitions for edge in edges)


@given(SEARCHES, st.floats(1, 120_000), st.floats(0.01, 10), st.integers(0, 99))
def test_a_search_ends_despite_noise(search, capacity, width, seed):
    draw = random.Random(seed)
    _, outcomes = run(
        search, lambda value: value * draw.lognormvariate(0, width) <= capacity
    )
    assert sum(map(len, outcomes.values())) <= NOISE_FACTOR * trials_max(search)
    assert all(len(tried) <= search.repetitions for tried in outcomes.values())
    assert all(search.first <= value <= search.last for value in outcomes)


@pytest.mark.parametrize(
    ("settings", "trials"),
    [
        ({"last": 100, "repetitions": 1}, 1),
        ({"last": 100}, 3),
        ({"last": 101}, 2 + 4),
        ({"last": 1600, "precision": 0.1}, 5 + 4 + 4),
        ({"last": 1601, "factor": 1.05, "precision": 0.5, "repetitions": 1}, 58),
    ],
)
def test_the_number_of_trials_is_predicted(settings, trials):
    assert trials_max(search(**settings)) == trials


YES, NO = True, False


@pytest.mark.parametrize(
    ("met", "violated", "confidence"),
    [
        ([YES], [NO], 0),
        ([YES] * 3, [NO] * 3, 0.75),
        ([YES] * 5, [NO] * 5, 1 - 2 / 32),
        ([YES] * 6, [NO] * 6, 1 - 2 / 64),
        # Two of three or more: 4 of 8; three of three: 1 of 8.
        ([YES, NO, YES], [NO] * 3, 1 - 4 / 8 - 1 / 8),
        ([YES, NO, YES], [NO, YES, NO], 0),
    ],
)
def test_the_confidence_follows_from_agreeing_trials(met, violated, confidence):
    assert edges_confidence(met, violated) == pytest.approx(confidence)
