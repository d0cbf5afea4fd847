"""Changes, compared with permutations counted by hand, and with chance."""

import random
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autostrada.stats.change import (
    ERROR_MAX,
    Direction,
    can_differ,
    can_exclude_limit,
    change,
    mann_whitney,
    side_of_limit,
)
from autostrada.stats.interval import median_interval

groups = st.lists(st.integers(1, 20), min_size=2, max_size=5)
OPPOSITE = {
    Direction.HIGHER: Direction.LOWER,
    Direction.LOWER: Direction.HIGHER,
    Direction.UNCLEAR: Direction.UNCLEAR,
}


def p_by_hand(first, second):
    """Count the permutations that are at least as extreme, and double their share."""
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
    """Count the pairs that the first group wins; a tie counts half."""
    return sum((a > b) + (a == b) / 2 for a in first for b in second)


@settings(max_examples=60)
@given(groups, groups)
def test_for_few_samples_every_permutation_is_counted_with_ties(first, second):
    assert mann_whitney(first, second) == pytest.approx(
        p_by_hand(first, second), abs=1e-9
    )


def test_a_single_sample_has_no_p():
    assert mann_whitney([1], range(10, 40)) == 1


def test_many_samples_can_be_compared():
    assert mann_whitney(range(1, 31), range(101, 131)) < 1e-6
    assert mann_whitney(range(1, 31), range(1, 31)) > 0.9


def test_three_that_are_above_three_are_higher():
    found = change([10, 11, 12], [20, 22, 24])
    assert found.ratio.value == 2
    assert found.p == pytest.approx(0.1)
    assert found.direction is Direction.HIGHER
    assert change([20, 22, 24], [10, 11, 12]).direction is Direction.LOWER


@pytest.mark.parametrize(
    ("factor", "direction"),
    [
        (1.05, Direction.HIGHER),
        (1.95, Direction.UNCLEAR),
        (2.0, Direction.UNCLEAR),
        (2.5, Direction.LOWER),
    ],
)
def test_a_change_is_compared_with_a_factor(factor, direction):
    before, after = [98, 99, 100, 101, 102], [190, 195, 200, 205, 210]
    assert change(before, after, factor).direction is direction


def test_a_change_above_a_limit_within_the_noise_is_unclear():
    before, after = [80, 90, 100, 110, 120], [85, 105, 110, 125, 140]
    found = change(before, after)
    assert found.ratio.value == pytest.approx(1.1)
    assert found.direction is Direction.UNCLEAR


def test_the_test_must_agree_with_the_interval():
    # The medians differ by a factor of 1.3 in nearly every draw, but the samples
    # overlap.
    before = [10, 10.1, 10.2, 40, 41]
    after = [13.2, 13.1, 13.0, 9, 9.1]
    assert change(before, after).direction is Direction.UNCLEAR


@settings(max_examples=60)
@given(groups, groups)
def test_exchanging_the_sides_reverses_the_direction(before, after):
    there, back = change(before, after), change(after, before)
    assert back.p == pytest.approx(there.p)
    assert back.direction is OPPOSITE[there.direction]


@pytest.mark.parametrize(
    ("limit", "direction"),
    [(9, Direction.HIGHER), (10, Direction.UNCLEAR), (15, Direction.LOWER)],
)
def test_five_samples_can_differ_from_a_number(limit, direction):
    assert side_of_limit(median_interval([10, 11, 12, 13, 14]), limit) is direction


def test_four_samples_are_too_few_to_differ_from_a_number():
    assert side_of_limit(median_interval([10, 11, 12, 13]), 1) is Direction.UNCLEAR


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
def test_whether_samples_can_differ_is_known_in_advance(before, after, expected):
    assert can_differ(before, after) is expected
    apart = change(range(1, before + 1), range(1_000, 1_000 + after))
    assert (apart.direction is Direction.HIGHER) is expected


@pytest.mark.parametrize("size", range(1, 8))
def test_whether_samples_can_differ_from_a_number_is_known_in_advance(size):
    found = side_of_limit(median_interval(range(10, 10 + size)), 1) is Direction.HIGHER
    assert can_exclude_limit(size) is found


def test_a_loss_after_none_is_an_unbounded_change():
    found = change([0, 0, 0, 0, 0], [3, 4, 5, 6, 7])
    assert found.direction is Direction.HIGHER
    assert found.ratio.low == found.ratio.value == found.ratio.high == float("inf")


def test_no_losses_on_either_side_are_no_change():
    found = change([0, 0, 0], [0, 0, 0])
    assert (found.ratio.value, found.direction) == (1, Direction.UNCLEAR)


@pytest.mark.parametrize(("size", "scatter"), [(3, 0.02), (3, 0.5), (5, 0.3), (7, 0.1)])
def test_chance_is_seldom_reported_as_a_change(size, scatter):
    draw = random.Random(2_020)
    trials = 500
    found = [
        change(
            [draw.lognormvariate(0, scatter) for _ in range(size)],
            [draw.lognormvariate(0, scatter) for _ in range(size)],
        ).direction
        for _ in range(trials)
    ]
    # A tolerance of three standard deviations of the count.
    most = ERROR_MAX + 3 * (ERROR_MAX * (1 - ERROR_MAX) / trials) ** 0.5
    assert found.count(Direction.HIGHER) / trials <= most
    assert found.count(Direction.LOWER) / trials <= most
