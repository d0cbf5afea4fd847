"""The median of a few samples, with its confidence interval."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb, inf
from statistics import median

CONFIDENCE_MIN = 0.95
"""Required confidence of intervals, if there are enough samples."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Interval:
    """A median with its bounds and their confidence."""

    median: float
    low: float
    high: float
    confidence: float
    """Attained confidence in [0, 1]; 0 for one sample, which gives no bounds."""


def median_interval(samples: Sequence[float]) -> Interval:
    """
    Return the median and the narrowest order-statistic interval around it.

    The interval from the k-th smallest to the k-th largest of n samples misses the
    true median with probability ``2 P(Binomial(n, 1/2) < k)`` for any distribution of
    the samples (J.-Y. Le Boudec, Performance Evaluation of Computer and Communication
    Systems, 2010, theorem 2.1). The largest k that attains 95 % is used.

    With five samples or fewer no k attains 95 %. Then the interval is the range of the
    samples, and ``confidence`` is what this range attains: 93.75 % for five, 87.5 % for
    four. A percentile bootstrap of five samples would return the same range (a
    resample's median is the smallest sample with probability 5.8 %, more than the 2.5 %
    cut off) and call it 95 %, which is why it is not used here.
    """
    assert samples, "no samples"
    ordered = sorted(samples)
    size = len(ordered)
    rank = 1
    while rank < size - rank and attained_confidence(size, rank + 1) >= CONFIDENCE_MIN:
        rank += 1
    return Interval(
        median=median(ordered),
        low=ordered[rank - 1],
        high=ordered[size - rank],
        confidence=attained_confidence(size, rank),
    )


def lower_bound_interval(measured: Sequence[float], ended: Sequence[float]) -> Interval:
    """
    Return bounds of a median that includes trials which were ended while growing.

    The value of an ended trial is a lower bound of its true value, so the median has no
    upper bound. If all trials were ended, the median is at least their minimum; this is
    no estimate, so its confidence is 1 even for a single trial.
    """
    assert ended, "no trial was ended"
    interval = median_interval([*measured, *ended])
    if not measured:
        return replace(interval, median=min(ended), high=inf, confidence=1.0)
    return replace(interval, high=inf)


def attained_confidence(size: int, rank: int = 1) -> float:
    """Return the confidence that the two ``rank``-th extremes enclose the median."""
    assert 1 <= rank <= (size + 1) // 2, (size, rank)
    missed = 2 * sum(comb(size, below) for below in range(rank))
    return max(0.0, 1 - missed * 0.5**size)
