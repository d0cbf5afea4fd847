"""Changes: against orders counted by hand, and against chance."""

import random
from itertools import combinations
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autostrada.stats.change import (
    ERROR_MAX,
    Direction,
    beside,
    can_differ,
    can_lie_beside,
    change,
    change_of_bounds,
    mann_whitney,
)
from autostrada.stats.interval import median_interval
from autostrada.stats.ratio import Ratio

groups = st.lists(st.integers(1, 20), min_size=2, max_size=5)
OPPOSITE = {
    Direction.HIGHER: Direction.LOWER,
    Direction.LOWER: Direction.HIGHER,
    Direction.UNCLEAR: Direction.UNCLEAR,
}


def p_by_hand(first, second):
    """Count the orders that lie as far out on the same side, and double their share."""
    every = [*first, *second]
    places = set(range(len(every)))
    won = [
        wins(
            [every[each] for each in chosen], [every[each] for each in places - chosen]
        )
        for chosen in map(set, combinations(places, len(first)))
    ]
    here = wins(first, second)
    fewer, more = sum(each <= here for each in won), sum(each >= here for each in won)
    return min(1, 2 * min(fewer, more) / len(won))


def wins(first, second):
    """Count the pairs that the first group wins, a tie as half of one."""
    return sum((a > b) + (a == b) / 2 for a in first for b in second)


@settings(max_examples=60)
@given(groups, groups)
def test_of_few_samples_every_order_is_counted_with_ties(first, second):
    assert mann_whitney(first, second) == pytest.approx(
        p_by_hand(first, second), abs=1e-9
    )


@pytest.mark.parametrize(("size", "p"), [(3, 2 / 20), (4, 2 / 70), (5, 2 / 252)])
def test_groups_that_are_apart_are_as_far_apart_as_can_be(size, p):
    low, high = range(1, size + 1), range(11, size + 11)
    assert mann_whitney(low, high) == pytest.approx(p)


def test_samples_that_are_all_the_same_differ_in_nothing():
    assert mann_whitney([7, 7, 7], [7, 7]) == 1


def test_one_sample_has_no_order():
    assert mann_whitney([1], range(10, 40)) == 1


def test_many_samples_are_compared_too():
    assert mann_whitney(range(1, 31), range(101, 131)) < 1e-6
    assert mann_whitney(range(1, 31), range(1, 31)) > 0.9


def test_three_that_are_above_three_are_higher():
    found = change([10, 11, 12], [20, 22, 24])
    assert found.ratio.value == 2
    assert found.p == pytest.approx(0.1)
    assert found.direction is Direction.HIGHER
    assert change([20, 22, 24], [10, 11, 12]).direction is Direction.LOWER


def test_two_samples_are_too_few_for_any_difference():
    assert change([10, 11], [1_000, 1_001]).direction is Direction.UNCLEAR
    assert change([10], [1_000]).direction is Direction.UNCLEAR


@pytest.mark.parametrize(
    ("factor", "direction"),
    [
        (1.05, Direction.HIGHER),
        (1.95, Direction.UNCLEAR),
        (2.0, Direction.UNCLEAR),
        (2.5, Direction.LOWER),
    ],
)
def test_a_change_is_held_against_a_factor(factor, direction):
    before, after = [98, 99, 100, 101, 102], [190, 195, 200, 205, 210]
    assert change(before, after, factor).direction is direction


def test_a_change_above_a_limit_that_is_lost_in_the_noise_is_unclear():
    before, after = [80, 90, 100, 110, 120], [85, 105, 110, 125, 140]
    found = change(before, after)
    assert found.ratio.value == pytest.approx(1.1)
    assert found.direction is Direction.UNCLEAR


def test_the_order_must_agree_with_the_interval():
    # The medians are 1.3 times apart in nearly every draw, but samples lie crosswise.
    before = [10, 10.1, 10.2, 40, 41]
    after = [13.2, 13.1, 13.0, 9, 9.1]
    assert change(before, after).direction is Direction.UNCLEAR


@settings(max_examples=60)
@given(groups, groups)
def test_the_other_way_round_the_direction_is_the_opposite(before, after):
    there, back = change(before, after), change(after, before)
    assert back.p == pytest.approx(there.p)
    assert back.direction is OPPOSITE[there.direction]


@given(groups)
def test_nothing_has_changed_against_itself(samples):
    assert change(samples, samples).direction is Direction.UNCLEAR


@pytest.mark.parametrize(
    ("limit", "direction"),
    [(9, Direction.HIGHER), (10, Direction.UNCLEAR), (15, Direction.LOWER)],
)
def test_five_samples_lie_beside_a_number(limit, direction):
    assert beside(median_interval([10, 11, 12, 13, 14]), limit) is direction


def test_four_samples_are_too_few_to_lie_beside_a_number():
    assert beside(median_interval([10, 11, 12, 13]), 1) is Direction.UNCLEAR


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (1, 1, False),
        (2, 2, False),
        (3, 3, True),
        (2, 4, False),
        (2, 5, True),
        (1, 20, False),
    ],
)
def test_what_can_differ_at_all_is_known_in_advance(before, after, expected):
    assert can_differ(before, after) is expected
    apart = change(range(1, before + 1), range(1_000, 1_000 + after))
    assert (apart.direction is Direction.HIGHER) is expected


@pytest.mark.parametrize("size", range(1, 8))
def test_what_can_lie_beside_a_number_is_known_in_advance(size):
    found = beside(median_interval(range(10, 10 + size)), 1) is Direction.HIGHER
    assert can_lie_beside(size) is found


def test_a_loss_where_there_was_none_is_a_change_without_bound():
    found = change([0, 0, 0, 0, 0], [3, 4, 5, 6, 7])
    assert found.direction is Direction.HIGHER
    assert found.ratio.low == found.ratio.value == found.ratio.high == float("inf")


def test_no_losses_on_either_side_are_no_change():
    found = change([0, 0, 0], [0, 0, 0])
    assert (found.ratio.value, found.direction) == (1, Direction.UNCLEAR)


@pytest.mark.parametrize(
    ("low", "high", "direction"),
    [
        (1.2, 1.5, Direction.HIGHER),
        (0.9, 1.5, Direction.UNCLEAR),
        (0.5, 0.9, Direction.LOWER),
    ],
)
def test_of_two_searches_the_bounds_alone_tell(low, high, direction):
    ratio = Ratio(value=1.3, low=low, high=high, confidence=0.75)
    assert change_of_bounds(ratio).direction is direction


@pytest.mark.parametrize(("size", "scatter"), [(3, 0.02), (3, 0.5), (5, 0.3), (7, 0.1)])
def test_chance_alone_is_seldom_taken_for_a_change(size, scatter):
    draw = random.Random(2_020)
    trials = 500
    found = [
        change(
            [draw.lognormvariate(0, scatter) for _ in range(size)],
            [draw.lognormvariate(0, scatter) for _ in range(size)],
        ).direction
        for _ in range(trials)
    ]
    # Three standard deviations of a count of so many trials are granted.
    most = ERROR_MAX + 3 * (ERROR_MAX * (1 - ERROR_MAX) / trials) ** 0.5
    assert found.count(Direction.HIGHER) / trials <= most
    assert found.count(Direction.LOWER) / trials <= most


def test_the_least_that_can_differ_is_one_order_in_twenty():
    assert 1 / comb(6, 3) == ERROR_MAX
