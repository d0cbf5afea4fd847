"""Buckets: their bounds, their precision, and how they are added."""

from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autostrada.stats.buckets import (
    Buckets,
    bars,
    count_of,
    error_ns_max,
    into_buckets,
    mean_ns,
    merged,
    middle_ns,
    quantile_ns,
)

HOUR_NS = 3_600_000_000_000

STORED = [(30, 1), (10, 2), (20, 1)]

durations = st.lists(st.integers(0, HOUR_NS), max_size=60)
some_durations = st.lists(st.integers(0, HOUR_NS), min_size=1, max_size=60)


def recorded(durations_ns):
    return Buckets(tuple(into_buckets(durations_ns)))


def test_a_quantile_is_the_middle_of_its_bucket():
    buckets = Buckets(((20_000_000, 10), (100, 9)))
    assert buckets.quantile_ns(0.25) == 100
    assert buckets.quantile_ns(0.5) == 20_000_000 + (1 << 14) // 2
    assert buckets.longest_ns == buckets.quantile_ns(1.0)


def test_bars_have_equal_widths_on_a_logarithmic_axis():
    histogram = recorded([0, 1, 9, 10, 11, 2_000_000])
    assert bars(histogram, 1) == [(0, 3), (1, 2), (6, 1)]
    assert bars(histogram, 10) == [(0, 2), (9, 1), (10, 2), (63, 1)]


def test_a_rank_is_not_increased_by_rounding():
    # 0.07 * 100 is 7.000000000000001.
    assert recorded(range(1, 101)).quantile_ns(0.07) == 7


def test_durations_above_a_threshold_are_counted():
    buckets = Buckets(((100, 1), (1000, 2), (1001, 4)))
    assert [buckets.count_from(each) for each in (0, 1000, 1001, 1002)] == [7, 6, 4, 0]


def test_without_durations_every_quantile_is_zero():
    assert Buckets().quantile_ns(0.99) == 0
    assert Buckets().longest_ns == 0
    assert merged([]) == Buckets()


@pytest.mark.parametrize(
    ("duration_ns", "lowest"), [(0, 0), (2047, 2047), (2049, 2048), (4103, 4100)]
)
def test_durations_are_in_the_documented_buckets(duration_ns, lowest):
    assert into_buckets([duration_ns, duration_ns]) == [(lowest, 2)]


@pytest.mark.parametrize(
    ("duration_ns", "error_ns"),
    [(0, 0), (2047, 0), (2048, 1), (4096, 2), (10**9, 2**18)],
)
def test_the_error_is_half_of_a_bucket(duration_ns, error_ns):
    assert error_ns_max(duration_ns) == error_ns


@given(st.integers(0, HOUR_NS))
def test_no_duration_is_further_from_its_middle_than_the_error(duration_ns):
    [(lowest, _)] = into_buckets([duration_ns])
    assert abs(middle_ns(lowest) - duration_ns) <= error_ns_max(duration_ns)
    assert error_ns_max(duration_ns) <= duration_ns / 2048


@given(durations, durations)
def test_merging_equals_recording_together(first, second):
    together = merged([recorded(first), recorded(second)])
    assert together == recorded(first + second)


@given(some_durations, st.floats(0.001, 1))
def test_a_quantile_differs_from_the_true_one_by_less_than_a_bucket(values, quantile):
    rank = max(1, ceil(quantile * len(values) - 1e-9))
    true_ns = sorted(values)[rank - 1]
    assert abs(recorded(values).quantile_ns(quantile) - true_ns) <= error_ns_max(
        true_ns
    )


@given(some_durations, st.floats(0, 1), st.floats(0, 1))
def test_a_higher_quantile_is_not_shorter(values, first, second):
    buckets = recorded(values)
    low, high = sorted([first, second])
    assert buckets.quantile_ns(low) <= buckets.quantile_ns(high)


def test_stored_durations_are_counted_and_averaged():
    assert count_of(STORED) == 4
    assert mean_ns(STORED) == 17.5
    assert (count_of([]), mean_ns([])) == (0, 0)


@pytest.mark.parametrize(
    ("quantile", "duration"), [(0, 10), (0.5, 10), (0.51, 20), (0.75, 20), (1, 30)]
)
def test_a_quantile_of_stored_durations_is_one_of_them(quantile, duration):
    assert quantile_ns(STORED, quantile) == duration
