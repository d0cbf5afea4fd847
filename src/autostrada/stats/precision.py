"""How closely samples tell their median, as a share of it."""

from collections.abc import Sequence

from autostrada.stats.interval import CONFIDENCE_MIN, median_interval


def half_width(samples: Sequence[float]) -> float | None:
    """
    Return how far the interval reaches from the median, as a share of the median.

    The interval is the one of ``median_interval``; of its two bounds the farther one
    counts. ``None`` where there is no such interval: fewer than six samples attain no
    95 %, and a median of 0 has no shares.
    """
    if not samples:
        return None
    interval = median_interval(samples)
    if interval.confidence < CONFIDENCE_MIN or interval.median == 0:
        return None
    farther = max(interval.high - interval.median, interval.median - interval.low)
    return abs(farther / interval.median)
