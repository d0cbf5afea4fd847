"""Histograms of durations as the engine prints them: merged exactly, asked later."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

DIGITS = 11
"""So many binary digits of a duration are kept: ``docs/format.md``, ``result``."""

ROUNDING = 1e-12
"""A rank that is a whole number but for the rounding of its product is that number."""


@dataclass(frozen=True, slots=True)
class Buckets:
    """Durations as ``docs/format.md`` has them: lowest nanosecond and count."""

    pairs: Sequence[tuple[int, int]] = ()

    @property
    def count(self) -> int:
        """How many durations there are."""
        return sum(count for _, count in self.pairs)

    @property
    def longest_ns(self) -> int:
        """The longest duration, or 0."""
        return max((middle_ns(lowest) for lowest, _ in self.pairs), default=0)

    def quantile_ns(self, quantile: float) -> int:
        """
        Return the duration that so many of all do not exceed, or 0 where there is none.

        It is the middle of the bucket in which that duration lies, and differs from it
        by ``error_ns_max`` at most.
        """
        assert 0 <= quantile <= 1, quantile
        rank = rank_of(quantile, self.count)
        seen = 0
        for lowest, count in sorted(self.pairs):
            seen += count
            if seen >= rank:
                return middle_ns(lowest)
        return 0

    def count_from(self, duration_ns: int) -> int:
        """Return how many durations are so long or longer."""
        return sum(
            count for lowest, count in self.pairs if middle_ns(lowest) >= duration_ns
        )


def merged(histograms: Iterable[Buckets]) -> Buckets:
    """Return all durations in one histogram; as if they had been recorded together."""
    counts: Counter[int] = Counter()
    for histogram in histograms:
        for lowest, count in histogram.pairs:
            counts[lowest] += count
    return Buckets(tuple(sorted(counts.items())))


def into_buckets(durations_ns: Sequence[int]) -> list[tuple[int, int]]:
    """Return the buckets that durations fall into."""
    counts: Counter[int] = Counter()
    for duration_ns in durations_ns:
        counts[duration_ns - duration_ns % _width_ns(duration_ns)] += 1
    return sorted(counts.items())


def rank_of(quantile: float, count: int) -> int:
    """Return which of so many durations in order a quantile is, from 1."""
    return max(1, ceil(quantile * count * (1 - ROUNDING)))


def middle_ns(lowest_ns: int) -> int:
    """Return the duration that stands for all of the bucket that begins here."""
    return lowest_ns + error_ns_max(lowest_ns)


def error_ns_max(duration_ns: int) -> int:
    """
    Return how far a duration may lie from the middle of its bucket.

    That is half of the bucket's width: nothing up to 2,047 ns, and never more than
    one part in 2,048 of the duration.
    """
    return _width_ns(duration_ns) // 2


def _width_ns(duration_ns: int) -> int:
    return 1 << max(0, duration_ns.bit_length() - DIGITS)
