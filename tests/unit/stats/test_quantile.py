"""The interval of a quantile over trials, compared with all possible draws."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autostrada.stats.buckets import into_buckets, middle_ns, quantile_ns
from autostrada.stats.quantile import COUNTED_TRIALS_MAX, quantile_interval
from autostrada.stats.ratio import median_distribution, quantile_ratio

one_trial = st.lists(st.integers(0, 10_000_000), min_size=1, max_size=30)


def recorded(durations_ns):
    return tuple(
        (middle_ns(lowest), count) for lowest, count in into_buckets(durations_ns)
    )


def bounds_by_hand(trials, quantile, confidence):
    """Merge every possible draw of the trials; cut off the extremes."""
    draws = sorted(
        quantile_ns([value for trial in draw for value in trial], quantile)
        for draw in product(trials, repeat=len(trials))
    )
    cut_off = (1 - confidence) / 2 * len(draws)
    low = next(value for place, value in enumerate(draws, 1) if place >= cut_off)
    high = next(
        value for place, value in enumerate(draws, 1) if place >= len(draws) - cut_off
    )
    return low, high


@settings(max_examples=50)
@given(
    st.lists(one_trial, min_size=1, max_size=4),
    st.sampled_from([0.5, 0.9, 0.99]),
    st.sampled_from([0.5001, 0.8002, 0.9503]),
)
def test_the_bounds_are_those_of_every_possible_draw(values, quantile, confidence):
    trials = [recorded(each) for each in values]
    interval = quantile_interval(trials, quantile, confidence)
    assert (interval.low, interval.high) == bounds_by_hand(trials, quantile, confidence)


@given(st.lists(one_trial, min_size=1, max_size=9), st.floats(0.01, 1))
def test_the_bounds_lie_between_the_quantiles_of_the_trials(values, quantile):
    trials = [recorded(each) for each in values]
    own_ns = [quantile_ns(trial, quantile) for trial in trials]
    interval = quantile_interval(trials, quantile)
    assert min(own_ns) <= interval.low <= interval.high <= max(own_ns)
    assert min(own_ns) <= interval.median <= max(own_ns)


def test_it_is_the_quantile_of_all_durations_and_not_a_mean_of_quantiles():
    # One stall of 100 among 1,000 in one of five trials: 2 % of all durations.
    undisturbed = recorded([1_000] * 1_000)
    stalled = recorded([1_000] * 900 + [2_000] * 100)
    interval = quantile_interval(
        [undisturbed, undisturbed, undisturbed, undisturbed, stalled], 0.985
    )
    assert interval.median == 2_000
    assert (interval.low, interval.high) == (1_000, 2_000)


def test_equal_trials_have_no_interval_width():
    interval = quantile_interval([recorded(range(100))] * 5, 0.9)
    assert interval.low == interval.median == interval.high == 89
    assert interval.confidence == 0.9375


def test_one_trial_gives_no_bounds():
    assert quantile_interval([recorded([1, 2, 3])], 0.5).confidence == 0


@pytest.mark.parametrize("size", [COUNTED_TRIALS_MAX, COUNTED_TRIALS_MAX + 2])
def test_for_trials_of_one_duration_it_is_the_bootstrap_of_a_median(size):
    # For many trials the resamples are random, and must give the same bounds.
    durations_ns = [1_000 + 10 * each for each in range(size)]
    interval = quantile_interval([recorded([each]) for each in durations_ns], 0.5)
    medians, weights = median_distribution(durations_ns)
    share = np.cumsum(weights)
    assert interval.low == medians[np.argmax(share >= 0.025)]
    assert interval.high == medians[np.argmax(share >= 0.975)]


def test_the_same_trials_give_the_same_bounds():
    trials = [recorded(range(each, 500 * each, each)) for each in range(1, 13)]
    assert quantile_interval(trials, 0.9) == quantile_interval(trials, 0.9)


def test_a_ratio_of_quantiles_uses_all_durations_together():
    stalled = recorded([1_000] * 900 + [4_000] * 100)
    undisturbed = recorded([1_000] * 1_000)
    ratio = quantile_ratio([stalled] * 5, [undisturbed] * 5, 0.99)
    assert ratio.low == ratio.value == ratio.high
    assert ratio.value == pytest.approx(4, rel=1e-3)
    assert ratio.confidence == 0.9375


def test_a_ratio_of_quantiles_resamples_whole_trials():
    stalled = recorded([1_000] * 900 + [4_000] * 100)
    undisturbed = recorded([1_000] * 1_000)
    ratio = quantile_ratio(
        [stalled, undisturbed, undisturbed, undisturbed, undisturbed],
        [undisturbed] * 5,
        0.985,
    )
    assert (round(ratio.low), round(ratio.high)) == (1, 4)
    assert not ratio.is_distinguishable
