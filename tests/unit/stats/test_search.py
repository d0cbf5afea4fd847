"""A search with known capacities and random outcomes."""

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from autostrada.stats.search import (
    NOISE_FACTOR,
    Bracket,
    Search,
    SearchResult,
    bracket,
    next_value,
    trials_max,
    values_left_max,
)

SEARCHES = st.builds(
    Search,
    parameter=st.just("connections"),
    first=st.integers(1, 200),
    last=st.integers(200, 100_000),
    factor=st.floats(1.1, 4),
    precision=st.floats(0.01, 0.5),
    repetitions=st.integers(1, 5),
)


def search(**settings):
    values = {"parameter": "connections", "first": 100, "last": 20_000}
    return Search(**values | settings)


def run(search, meets_objective, outcomes=None):
    """Return the result of a search, and its trials."""
    outcomes = outcomes or {}
    while not isinstance(step := next_value(search, outcomes), SearchResult):
        outcomes = outcomes | {step: [*outcomes.get(step, []), meets_objective(step)]}
    return step, outcomes


def test_it_climbs_bisects_and_repeats_the_edges():
    step, outcomes = run(search(precision=0.1), lambda value: value <= 1_000)
    assert list(outcomes) == [100, 200, 400, 800, 1600, 1200, 1000, 1100]
    assert step.is_settled
    assert step.bracket == Bracket(met=1000, violated=1100)
    assert {value: len(tried) for value, tried in outcomes.items() if tried[1:]} == {
        1000: 3,
        1100: 3,
    }


def test_without_a_violation_the_last_value_is_repeated():
    step, outcomes = run(search(last=700), lambda _: True)
    assert step.bracket == Bracket(met=700, violated=None)
    assert outcomes == {100: [True], 200: [True], 400: [True], 700: [True] * 3}


def test_a_violation_at_the_first_value_is_repeated():
    step, outcomes = run(search(), lambda _: False)
    assert step.bracket == Bracket(met=None, violated=100)
    assert outcomes == {100: [False] * 3}


def test_a_single_value_can_be_searched():
    step, _ = run(search(first=5, last=5, repetitions=1), lambda _: True)
    assert step.bracket == Bracket(met=5, violated=None)


def test_an_edge_with_another_outcome_moves_the_bracket():
    settled = {100: [True], 200: [True] * 2, 210: [False, True, True], 400: [False]}
    assert bracket(settled) == Bracket(met=210, violated=400)
    assert next_value(search(precision=0.05), settled) == 305
    lowered = {100: [True], 200: [True, False], 210: [False]}
    assert bracket(lowered) == Bracket(met=100, violated=200)


def test_a_random_violation_on_the_way_up_is_detected():
    chances = iter([True, False])
    step, outcomes = run(
        search(), lambda value: value <= 1_000 and (value != 200 or next(chances, True))
    )
    assert len(outcomes[200]) <= 3
    assert step.bracket.met <= 1_000


def test_edges_of_whole_numbers_are_adjacent():
    step, _ = run(search(first=1, last=16), lambda value: value <= 4)
    assert step.bracket == Bracket(met=4, violated=5)


# Steps of the ramp are rounded down to whole numbers, which makes more of them.
SHORT_STEPS = search(first=9, last=8472, factor=1.1, precision=0.1, repetitions=1)


@given(SEARCHES, st.integers(0, 120_000))
@example(SHORT_STEPS, 120_000)
def test_a_sharp_capacity_is_found_within_the_predicted_trials(search, capacity):
    step, outcomes = run(search, lambda value: value <= capacity)
    found = step.bracket
    assert step.is_settled
    assert sum(map(len, outcomes.values())) <= trials_max(search)
    assert found.met is None or found.met <= capacity
    assert found.violated is None or found.violated > capacity
    if None not in (found.met, found.violated):
        gap = found.violated - found.met
        assert gap <= max(1, search.precision * found.violated)
    assert (found.met is None) == (capacity < search.first)
    assert (found.violated is None) == (capacity >= search.last)


@given(SEARCHES, st.floats(1, 120_000), st.floats(0.01, 10), st.integers(0, 99))
def test_a_search_ends_despite_noise(search, capacity, width, seed):
    draw = random.Random(seed)
    step, outcomes = run(
        search, lambda value: value * draw.lognormvariate(0, width) <= capacity
    )
    assert sum(map(len, outcomes.values())) <= NOISE_FACTOR * trials_max(search)
    assert all(len(tried) <= search.repetitions for tried in outcomes.values())
    assert all(search.first <= value <= search.last for value in outcomes)
    assert step.bracket == bracket(outcomes)


@given(SEARCHES, st.integers(0, 120_000), st.integers(0, 40), st.integers(0, 99))
def test_it_resumes_from_finished_trials(search, capacity, done, seed):
    def meets_objective(value):
        return value <= capacity

    _, outcomes = run(search, meets_objective)
    kept = {}
    for value, tried in outcomes.items():
        if sum(map(len, kept.values())) < done:
            kept[value] = tried[:1]
    shuffled = random.Random(seed).sample(sorted(kept), k=len(kept))
    again, _ = run(search, meets_objective, {value: kept[value] for value in shuffled})
    whole, _ = run(search, meets_objective)
    assert again == whole


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


@pytest.mark.parametrize(
    ("outcomes", "values"),
    [
        ({}, [100, 200, 400, 400, 400]),
        ({100: [True]}, [200, 400, 400, 400]),
        ({100: [True], 200: [True], 400: [True]}, [400, 400]),
        ({100: [True], 200: [False]}, [200] * 3),
        ({100: [True] * 9, 200: [False]}, [200]),
    ],
)
def test_the_highest_value_is_predicted(outcomes, values):
    sought = search(last=400, precision=0.5, repetitions=2)
    assert values_left_max(sought, outcomes) == values


@given(SEARCHES, st.integers(0, 120_000), st.integers(0, 40))
def test_no_sharp_capacity_needs_more_or_higher_trials_than_predicted(
    search, capacity, done
):
    _, whole = run(search, lambda value: value <= capacity)
    begun = {}
    for value, tried in whole.items():
        if sum(map(len, begun.values())) < done:
            begun[value] = tried[:1]
    _, ended = run(search, lambda value: value <= capacity, begun)
    rest = [
        value
        for value, tried in ended.items()
        for _ in range(len(tried) - len(begun.get(value, [])))
    ]
    predicted = values_left_max(search, begun)
    assert len(rest) <= len(predicted)
    assert sum(rest) <= sum(predicted)
