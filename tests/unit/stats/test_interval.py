"""The median's interval and the variation, against numbers computed by hand."""

import random
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autostrada.stats.interval import (
    Interval,
    lower_bound_interval,
    median_interval,
)
from autostrada.stats.variation import coefficient_of_variation

samples = st.lists(st.floats(1, 1e9), min_size=1, max_size=30)


@pytest.mark.parametrize(
    ("values", "low", "median", "high", "confidence"),
    [
        ([30, 10, 50, 20, 40], 10, 30, 50, 1 - 2 / 32),
        ([1, 2], 1, 1.5, 2, 0.5),
        ([3, 1, 2], 1, 2, 3, 0.75),
        ([1, 2, 4, 8], 1, 3, 8, 0.875),
        # Six samples are the fewest that attain 95 percent.
        ([1, 2, 3, 4, 5, 6], 1, 3.5, 6, 1 - 2 / 64),
        # Nine leave out the smallest and the largest.
        ([9, 1, 8, 2, 7, 3, 6, 4, 5], 2, 5, 8, 1 - 2 * (1 + 9) / 512),
        # One has no bounds.
        ([7], 7, 7, 7, 0),
    ],
)
def test_an_interval_is_between_two_samples(values, low, median, high, confidence):
    interval = median_interval(values)
    assert (interval.low, interval.median, interval.high) == (low, median, high)
    assert interval.confidence == confidence


@given(samples)
def test_the_bounds_are_samples_around_the_median(values):
    interval = median_interval(values)
    assert interval.low in values
    assert interval.high in values
    assert interval.low <= interval.median <= interval.high
    assert interval.confidence >= 0.95 or interval.low == min(values)


@given(samples, st.integers(-3, 3))
def test_scaling_the_samples_scales_the_interval(values, power):
    factor = 2.0**power
    interval = median_interval(values)
    scaled = median_interval([value * factor for value in values])
    assert scaled.median == interval.median * factor
    assert (scaled.low, scaled.high) == (interval.low * factor, interval.high * factor)


@pytest.mark.parametrize("size", [3, 5, 6, 9])
def test_it_covers_the_true_median_at_its_confidence(size):
    draw = random.Random(2_020)
    trials = 4_000
    covered = 0
    for _ in range(trials):
        interval = median_interval([draw.gauss(100, 5) for _ in range(size)])
        covered += interval.low <= 100 <= interval.high
    expected = median_interval([1.0] * size).confidence
    assert covered / trials == pytest.approx(expected, abs=0.02)


def test_if_all_were_ended_it_is_at_least_their_value():
    for ended in ([8.0], [8.0, 9.0, 10.0]):
        assert lower_bound_interval([], ended) == Interval(
            median=8.0, low=8.0, high=inf, confidence=1.0
        )


def test_with_complete_trials_it_is_the_lower_bound_of_all():
    measured, ended = [1.0, 2.0, 3.0], [8.0, 8.0]
    every = median_interval([*measured, *ended])
    known = lower_bound_interval(measured, ended)
    assert (known.median, known.low, known.high) == (3.0, 1.0, inf)
    assert known.confidence == every.confidence


def test_two_samples_have_the_expected_coefficient():
    # The mean is 2; the squared deviations are 1 and 1, their sum divided by n - 1 is
    # 2.
    assert coefficient_of_variation([1, 3]) == pytest.approx(2**0.5 / 2)


def test_a_single_sample_has_no_variation():
    assert coefficient_of_variation([5]) is None
