"""What is known of a figure whose trials were ended because it grew too large."""

from collections.abc import Sequence
from math import inf

from autostrada.stats.interval import Interval, median_interval


def unbounded(measured: Sequence[float], ended: Sequence[float]) -> Interval:
    """
    Return bounds of a median that counts trials which were ended while they grew.

    What such a trial had come to by then is the least that it would have come to, so
    that nothing bounds the median from above. Where all were ended nothing is
    estimated: it is no less than the least of them, also where there was but one.
    """
    assert ended, "no trial was ended"
    interval = median_interval([*measured, *ended])
    return Interval(
        median=interval.median if measured else min(ended),
        low=interval.low,
        high=inf,
        confidence=interval.confidence if measured else 1.0,
    )
