"""Histograms of durations: as the engine prints them, and as they are stored."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

DIGITS = 11
"""Number of binary digits kept of a duration: ``docs/format.md``, ``result``."""

ROUNDING = 1e-12
"""Tolerance for rounding errors of a rank that should be a whole number."""

Value = tuple[int, int]
"""A rounded duration in nanoseconds, and its count: a bucket as it is stored."""


@dataclass(frozen=True, slots=True)
class Buckets:
    """Durations as in ``docs/format.md``: lowest nanosecond of a bucket, and count."""

    pairs: Sequence[tuple[int, int]] = ()

    @property
    def count(self) -> int:
        """Number of durations."""
        return count_of(self.pairs)

    @property
    def values(self) -> list[Value]:
        """The middle of each bucket, and its count."""
        return [(middle_ns(lowest), count) for lowest, count in self.pairs]

    @property
    def longest_ns(self) -> int:
        """The longest duration in nanoseconds, or 0 if there are none."""
        return max((middle_ns(lowest) for lowest, _ in self.pairs), default=0)

    def quantile_ns(self, quantile: float) -> int:
        """
        Return a quantile of the durations, or 0 if there are none.

        It is the middle of the bucket with that duration, from which it differs by at
        most ``error_ns_max``.
        """
        assert 0 <= quantile <= 1, quantile
        return quantile_ns(self.values, quantile)

    def count_from(self, duration_ns: int) -> int:
        """Return the number of durations of at least ``duration_ns``."""
        return sum(
            count for lowest, count in self.pairs if middle_ns(lowest) >= duration_ns
        )


def merged(histograms: Iterable[Buckets]) -> Buckets:
    """Merge histograms exactly, as if all durations had been recorded in one."""
    counts: Counter[int] = Counter()
    for histogram in histograms:
        for lowest, count in histogram.pairs:
            counts[lowest] += count
    return Buckets(tuple(sorted(counts.items())))


def times_of(result: Mapping[str, Any]) -> Buckets:
    """Return the response times of a second or a load, or the delivery times."""
    exchange = result.get("exchange") or result
    pairs = exchange.get("response_time_ns") or result["delivery_time_ns"] or ()
    return Buckets(tuple((lowest, count) for lowest, count in pairs))


def bars(histogram: Buckets, per_decade: int) -> list[tuple[int, int]]:
    """
    Count durations in bars of equal width on a logarithmic axis.

    Bar ``n`` begins at ``10 ** (n / per_decade)`` nanoseconds.
    """
    counts: Counter[int] = Counter()
    for middle, count in histogram.values:
        counts[floor(per_decade * log10(max(1, middle)))] += count
    return sorted(counts.items())


def into_buckets(durations_ns: Sequence[int]) -> list[tuple[int, int]]:
    """Return the sorted buckets of durations: lowest nanosecond and count."""
    counts: Counter[int] = Counter()
    for duration_ns in durations_ns:
        counts[duration_ns - duration_ns % _width_ns(duration_ns)] += 1
    return sorted(counts.items())


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


def rank_of(quantile: float, count: int) -> int:
    """Return the rank of a quantile, from 1, among ``count`` sorted durations."""
    return max(1, ceil(quantile * count * (1 - ROUNDING)))


def middle_ns(lowest_ns: int) -> int:
    """Return the middle of the bucket that begins at ``lowest_ns``."""
    return lowest_ns + error_ns_max(lowest_ns)


def error_ns_max(duration_ns: int) -> int:
    """
    Return the maximum distance of a duration from the middle of its bucket.

    It is half of the bucket's width: 0 up to 2,047 ns, and at most 1/2,048 of the
    duration above.
    """
    return _width_ns(duration_ns) // 2


def _width_ns(duration_ns: int) -> int:
    return 1 << max(0, duration_ns.bit_length() - DIGITS)
