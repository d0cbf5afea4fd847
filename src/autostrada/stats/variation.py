"""The coefficient of variation of samples."""

from collections.abc import Sequence
from statistics import mean, stdev


def coefficient_of_variation(samples: Sequence[float]) -> float | None:
    """
    Return the standard deviation of samples divided by their mean.

    It is the sample standard deviation, which divides by n - 1. The result is ``None``
    for a single sample. All samples must be positive.
    """
    assert samples, "no samples"
    assert min(samples) > 0, "samples must be positive"
    if len(samples) < 2:
        return None
    return stdev(samples) / mean(samples)
