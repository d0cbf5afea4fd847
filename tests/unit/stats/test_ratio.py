"""The ratio of medians, compared with numbers by hand and with simulations; ranks."""

import random
from itertools import product
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autostrada.stats.rank import shared_ranks
from autostrada.stats.ratio import Ratio, median_distribution, median_ratio

samples = st.lists(st.floats(1, 1e6), min_size=1, max_size=8)


def test_the_value_is_the_ratio_of_the_medians():
    assert median_ratio([40, 20, 30], [10, 30, 5]).value == 3


def test_five_against_a_constant_give_the_range_at_its_confidence():
    # A resample's median is the smallest of five with (10*16 + 5*4 + 1) / 5**5 = 5.8 %,
    # more than the 2.5 % that are cut off.
    ratio = median_ratio([10, 20, 30, 40, 50], [10] * 5)
    assert (ratio.low, ratio.value, ratio.high) == (1, 3, 5)
    assert ratio.confidence == 1 - 2 / 32


def test_two_groups_of_five_cut_off_the_least_probable_ratios():
    # The medians' weights are 5.79, 25.92, 36.57, 25.92 and 5.79 %. The smallest ratio
    # 10/50 has 0.34 % and 10/40 has 1.50 %, together less than 2.5 %; with the 2.12 %
    # of 10/30 they pass it, so the bound lies there.
    ratio = median_ratio([10, 20, 30, 40, 50], [10, 20, 30, 40, 50])
    assert (ratio.low, ratio.high) == (10 / 30, 30 / 10)


def test_more_samples_never_exceed_the_requested_confidence():
    assert median_ratio(range(1, 12), range(1, 12)).confidence == 0.95


def test_one_sample_on_either_side_gives_no_bounds():
    ratio = median_ratio([30], [10, 10, 10])
    assert (ratio.value, ratio.confidence) == (3, 0)
    assert not ratio.is_distinguishable


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(1.01, 2, True), (0.5, 0.99, True), (0.9, 1.1, False), (1, 2, False)],
)
def test_it_is_distinguishable_if_the_bounds_exclude_one(low, high, expected):
    ratio = Ratio(value=1.5, low=low, high=high, confidence=0.9375)
    assert ratio.is_distinguishable is expected


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6])
def test_the_distribution_is_that_of_every_possible_draw(size):
    draws = [median(draw) for draw in product(range(size), repeat=size)]
    values, weights = median_distribution(range(size))
    for value in set(draws):
        share = sum(weights[values == value])
        assert share == pytest.approx(draws.count(value) / len(draws))


@given(samples, samples)
def test_the_bounds_enclose_the_value(numerator, denominator):
    ratio = median_ratio(numerator, denominator)
    assert ratio.low <= ratio.value * (1 + 1e-12)
    assert ratio.value <= ratio.high * (1 + 1e-12)


@given(samples, samples)
def test_exchanging_the_sides_inverts_the_ratio(numerator, denominator):
    ratio = median_ratio(numerator, denominator)
    inverse = median_ratio(denominator, numerator)
    assert inverse.value == pytest.approx(1 / ratio.value)
    assert inverse.is_distinguishable == ratio.is_distinguishable


@given(samples)
def test_samples_are_not_distinguishable_from_themselves(values):
    assert not median_ratio(values, values).is_distinguishable


@pytest.mark.parametrize(("first", "second"), [(0.05, 0.05), (0.002, 0.1)])
def test_five_against_five_cover_the_true_ratio_at_their_confidence(first, second):
    draw = random.Random(2_020)
    trials = 1_500
    covered = 0
    for _ in range(trials):
        numerator = [draw.lognormvariate(0, first) for _ in range(5)]
        denominator = [draw.lognormvariate(0, second) for _ in range(5)]
        ratio = median_ratio(numerator, denominator)
        covered += ratio.low <= 1 <= ratio.high
    assert covered / trials > 0.92


@pytest.mark.parametrize(
    ("middles", "ranks"),
    [
        ([100, 200, 300], [1, 2, 3]),
        # Two that are indistinguishable share a rank, and the next is third.
        ([100, 101, 200], [1, 1, 3]),
        # A chain of small steps does not make all equal.
        ([100, 102, 104], [1, 1, 3]),
        ([], []),
    ],
)
def test_distinguishable_contestants_are_ranked_in_order(middles, ranks):
    samples = [[middle + each for each in range(-2, 3)] for middle in middles]
    assert ranks_of(samples) == ranks


def test_single_samples_distinguish_nothing():
    assert ranks_of([[100], [900]]) == [1, 1]


def ranks_of(samples):
    ranks = shared_ranks(
        range(len(samples)),
        lambda one, other: (
            median_ratio(samples[one], samples[other]).is_distinguishable
        ),
    )
    return list(ranks.values())
