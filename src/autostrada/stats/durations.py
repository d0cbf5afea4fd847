"""Durations as they are stored: a value for each bucket, and how many lie in it."""

from collections.abc import Sequence

from autostrada.stats.buckets import rank_of

Value = tuple[int, int]
"""A duration in nanoseconds, rounded, and how many there are."""


def count_of(values: Sequence[Value]) -> int:
    """Return how many durations there are."""
    return sum(count for _, count in values)


def mean_ns(values: Sequence[Value]) -> float:
    """Return the mean duration, or 0 where there is none."""
    total_ns = sum(duration * count for duration, count in values)
    return total_ns / max(1, count_of(values))


def quantile_ns(values: Sequence[Value], quantile: float) -> int:
    """Return the duration that so many of all do not exceed, or 0 without any."""
    rank = rank_of(quantile, count_of(values))
    seen = 0
    for duration, count in sorted(values):
        seen += count
        if seen >= rank:
            return duration
    return 0
