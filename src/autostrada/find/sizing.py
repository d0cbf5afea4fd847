"""What a number of users needs, by a line through smaller loads."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

SIZES_MIN = 3
"""Least number of different sizes through which a line is laid."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """A value at a size that was not measured, with its prediction interval."""

    value: float
    low: float
    high: float


def predicted(
    points: Sequence[tuple[float, float]], size: float, confidence: float = 0.95
) -> Estimate | None:
    """
    Return the value at ``size`` by the least-squares line through sizes and values.

    The interval is that of one further observation (N. Draper, H. Smith, Applied
    Regression Analysis, 1998, section 1.4); it is not below 0. The result is ``None``
    with fewer than three different sizes.
    """
    from scipy.stats import t

    sizes = [each for each, _ in points]
    if len(set(sizes)) < SIZES_MIN:
        return None
    mean_size, mean_value = fmean(sizes), fmean(value for _, value in points)
    spread = sum((each - mean_size) ** 2 for each in sizes)
    slope = sum((x - mean_size) * (y - mean_value) for x, y in points) / spread
    value = mean_value + slope * (size - mean_size)
    residuals = [y - mean_value - slope * (x - mean_size) for x, y in points]
    degrees = len(points) - 2
    variance = sum(residual**2 for residual in residuals) / degrees
    further = 1 + 1 / len(points) + (size - mean_size) ** 2 / spread
    distance = float(t.ppf((1 + confidence) / 2, degrees)) * sqrt(variance * further)
    return Estimate(value=value, low=max(0.0, value - distance), high=value + distance)
