"""Bounds of a metric whose trials were ended because it grew too large."""

from collections.abc import Sequence
from math import inf

from autostrada.stats.interval import Interval, median_interval


def lower_bound_interval(measured: Sequence[float], ended: Sequence[float]) -> Interval:
    """
    Return bounds of a median that includes trials which were ended while growing.

    The value of an ended trial is a lower bound of its true value, so the median has no
    upper bound. If all trials were ended, the median is at least their minimum; this is
    no estimate, so its confidence is 1 even for a single trial.
    """
    assert ended, "no trial was ended"
    interval = median_interval([*measured, *ended])
    return Interval(
        median=interval.median if measured else min(ended),
        low=interval.low,
        high=inf,
        confidence=interval.confidence if measured else 1.0,
    )
