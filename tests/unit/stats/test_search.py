"""A search with known capacities and random outcomes."""

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from autostrada.stats.confidence import edges_confidence
from autostrada.stats.search import (
    NOISE_FACTOR,
    Bracket,
    Search,
    SearchResult,
    Step,
    bracket,
    deciding_step,
    next_step,
    steps_left_max,
    trials_max,
)

SEARCHES = st.builds(
    Search,
    parameter=st.just("connections"),
    first=st.integers(1, 200),
    last=st.integers(200, 100_000),
    factor=st.floats(1.1, 4),
    precision=st.floats(0.01, 0.5),
    repetitions=st.integers(1, 5),
    confirm_s=st.none() | st.just(600),
)


def search(**settings):
    values = {"parameter": "connections", "first": 100, "last": 20_000}
    return Search(**values | {"repetitions": 3} | settings)


def step(value):
    return Step(value=value)


def held(value):
    return Step(value=value, is_confirmation=True)


def steps(outcomes):
    """Return outcomes by step for outcomes by value."""
    return {step(value): trials for value, trials in outcomes.items()}


def run(search, meets_objective, outcomes=None):
    """
    Return the result of a search, and its trials.

    ``meets_objective`` is a function of the value.
    """
    outcomes = outcomes or {}
    while not isinstance(step := next_step(search, outcomes), SearchResult):
        met = meets_objective(step.value)
        outcomes = outcomes | {step: [*outcomes.get(step, []), met]}
    return step, outcomes


def test_it_climbs_bisects_and_repeats_the_edges():
    found, outcomes = run(search(precision=0.1), lambda value: value <= 1_000)
    assert [each.value for each in outcomes] == [
        *(100, 200, 400, 800, 1600, 1200, 1000, 1100)
    ]
    assert found.is_settled
    assert found.bracket == Bracket(met=1000, violated=1100)
    assert {each: len(tried) for each, tried in outcomes.items() if tried[1:]} == {
        step(1000): 3,
        step(1100): 3,
    }


def test_without_a_violation_the_last_value_is_repeated():
    found, outcomes = run(search(last=700), lambda _: True)
    assert found.bracket == Bracket(met=700, violated=None)
    assert outcomes == steps({100: [True], 200: [True], 400: [True], 700: [True] * 3})


def test_a_violation_at_the_first_value_is_repeated():
    found, outcomes = run(search(), lambda _: False)
    assert found.bracket == Bracket(met=None, violated=100)
    assert outcomes == steps({100: [False] * 3})


def test_a_single_value_can_be_searched():
    found, _ = run(search(first=5, last=5, repetitions=1), lambda _: True)
    assert found.bracket == Bracket(met=5, violated=None)


def test_an_edge_with_another_outcome_moves_the_bracket():
    settled = steps(
        {100: [True], 200: [True] * 2, 210: [False, True, True], 400: [False]}
    )
    assert bracket(settled) == Bracket(met=210, violated=400)
    assert next_step(search(precision=0.05), settled) == step(305)
    lowered = steps({100: [True], 200: [True, False], 210: [False]})
    assert bracket(lowered) == Bracket(met=100, violated=200)


def test_a_random_violation_on_the_way_up_is_detected():
    chances = iter([True, False])
    found, outcomes = run(
        search(), lambda value: value <= 1_000 and (value != 200 or next(chances, True))
    )
    assert len(outcomes[step(200)]) <= 3
    assert found.bracket.met <= 1_000


def test_edges_of_whole_numbers_are_adjacent():
    found, _ = run(search(first=1, last=16), lambda value: value <= 4)
    assert found.bracket == Bracket(met=4, violated=5)


def test_longer_trials_confirm_the_capacity():
    found, outcomes = run(
        search(precision=0.1, confirm_s=600), lambda value: value <= 1_000
    )
    assert found.bracket == Bracket(met=1000, violated=1100)
    assert {each: tried for each, tried in outcomes.items() if tried[1:]} == {
        held(1000): [True] * 3,
        step(1100): [False] * 3,
    }
    assert outcomes[step(1000)] == [True]
    assert deciding_step(outcomes, 1000) == held(1000)
    assert deciding_step(outcomes, 1100) == step(1100)


def test_a_value_that_is_not_confirmed_is_a_violation():
    """Short trials meet the objective up to 1000, long ones up to 700."""
    outcomes = {}
    sought = search(precision=0.1, confirm_s=600)
    while not isinstance(each := next_step(sought, outcomes), SearchResult):
        met = each.value <= (700 if each.is_confirmation else 1_000)
        outcomes[each] = [*outcomes.get(each, []), met]
    assert each.is_settled
    assert 630 < each.bracket.met <= 700 < each.bracket.violated
    assert outcomes[held(1000)] == [False]
    assert outcomes[held(each.bracket.met)] == [True] * 3
    assert outcomes[held(each.bracket.violated)] == [False] * 3
    # After the first violation by a long trial, all trials are long.
    order = list(outcomes)
    first = order.index(held(1000))
    assert all(later.is_confirmation for later in order[first:] if later != step(1100))


def test_the_last_value_is_confirmed():
    found, outcomes = run(search(last=200, confirm_s=60), lambda _: True)
    assert found.bracket == Bracket(met=200, violated=None)
    assert outcomes == steps({100: [True], 200: [True]}) | {held(200): [True] * 3}


def test_by_default_the_edges_attain_95_percent():
    sought = Search(parameter="connections", first=100, last=200, precision=0.5)
    _, outcomes = run(sought, lambda value: value <= 100)
    met, violated = outcomes[step(100)], outcomes[step(200)]
    assert edges_confidence(met, violated) >= 0.95
    assert edges_confidence(met[1:], violated[1:]) < 0.95


# Steps of the ramp are rounded down to whole numbers, which makes more of them.
SHORT_STEPS = search(first=9, last=8472, factor=1.1, precision=0.1, repetitions=1)


@given(SEARCHES, st.integers(0, 120_000))
@example(SHORT_STEPS, 120_000)
def test_a_sharp_capacity_is_found_within_the_predicted_trials(search, capacity):
    result, outcomes = run(search, lambda value: value <= capacity)
    found = result.bracket
    assert result.is_settled
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
    result, outcomes = run(
        search, lambda value: value * draw.lognormvariate(0, width) <= capacity
    )
    assert sum(map(len, outcomes.values())) <= NOISE_FACTOR * trials_max(search)
    assert all(len(tried) <= search.repetitions for tried in outcomes.values())
    assert all(search.first <= each.value <= search.last for each in outcomes)
    assert result.bracket == bracket(outcomes)


@given(SEARCHES, st.integers(0, 120_000), st.integers(0, 40), st.integers(0, 99))
def test_it_resumes_from_finished_trials(search, capacity, done, seed):
    def meets_objective(value):
        return value <= capacity

    _, outcomes = run(search, meets_objective)
    kept = {}
    for each, tried in outcomes.items():
        if sum(map(len, kept.values())) < done:
            kept[each] = tried[:1]
    shuffled = random.Random(seed).sample(sorted(kept), k=len(kept))
    again, _ = run(search, meets_objective, {each: kept[each] for each in shuffled})
    whole, _ = run(search, meets_objective)
    assert again == whole


@pytest.mark.parametrize(
    ("settings", "trials"),
    [
        ({"last": 100, "repetitions": 1}, 1),
        ({"last": 100}, 3),
        ({"last": 101}, 2 + 4),
        ({"last": 100, "confirm_s": 60}, 1 + 3),
        ({"last": 1600, "precision": 0.1}, 5 + 4 + 4),
        ({"last": 1600, "precision": 0.1, "confirm_s": 60}, 5 + 4 + 5),
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
    assert steps_left_max(sought, steps(outcomes)) == [step(value) for value in values]


def test_confirmations_are_predicted_last():
    sought = search(last=200, precision=0.5, repetitions=2, confirm_s=60)
    assert steps_left_max(sought, {}) == [
        *(step(100), step(200), step(200), held(200), held(200))
    ]
    begun = steps({100: [True], 200: [False]}) | {held(100): [True]}
    assert steps_left_max(sought, begun) == [step(200), held(200)]
    assert steps_left_max(sought, steps({100: [False]})) == [step(100)] * 4
    lowered = steps({100: [True], 200: [True]}) | {held(200): [False]}
    assert steps_left_max(sought, lowered) == [held(200)] * 2


@given(SEARCHES, st.integers(0, 120_000), st.integers(0, 40))
def test_no_sharp_capacity_needs_more_or_higher_trials_than_predicted(
    search, capacity, done
):
    _, whole = run(search, lambda value: value <= capacity)
    begun = {}
    for each, tried in whole.items():
        if sum(map(len, begun.values())) < done:
            begun[each] = tried[:1]
    _, ended = run(search, lambda value: value <= capacity, begun)
    rest = [
        each
        for each, tried in ended.items()
        for _ in range(len(tried) - len(begun.get(each, [])))
    ]
    predicted = steps_left_max(search, begun)
    assert len(rest) <= len(predicted)
    for cost in (lambda each: each.value, lambda each: each.is_confirmation):
        assert sum(map(cost, rest)) <= sum(map(cost, predicted))
