"""The precision of a median: the half-width of its interval, relative to it."""

from collections.abc import Sequence

from autostrada.stats.interval import CONFIDENCE_MIN, median_interval


def half_width(samples: Sequence[float]) -> float | None:
    """
    Return the distance of the farther bound from the median, as a share of the median.

    The bounds are those of ``median_interval``. The result is ``None`` if the interval
    does not attain 95 %, as with fewer than six samples, or if the median is 0.
    """
    if not samples:
        return None
    interval = median_interval(samples)
    if interval.confidence < CONFIDENCE_MIN or interval.median == 0:
        return None
    farther = max(interval.high - interval.median, interval.median - interval.low)
    return abs(farther / interval.median)
