"""Durations as stored: the value of each bucket and its count."""

from collections.abc import Sequence

from autostrada.stats.buckets import rank_of

Value = tuple[int, int]
"""A rounded duration in nanoseconds, and its count."""


def count_of(values: Sequence[Value]) -> int:
    """Return the number of durations."""
    return sum(count for _, count in values)


def mean_ns(values: Sequence[Value]) -> float:
    """Return the mean duration, or 0 if there are none."""
    total_ns = sum(duration * count for duration, count in values)
    return total_ns / max(1, count_of(values))


def quantile_ns(values: Sequence[Value], quantile: float) -> int:
    """Return a quantile of the durations, or 0 if there are none."""
    rank = rank_of(quantile, count_of(values))
    seen = 0
    for duration, count in sorted(values):
        seen += count
        if seen >= rank:
            return duration
    return 0
