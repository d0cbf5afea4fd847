"""How far samples scatter, relative to what they are."""

from collections.abc import Sequence
from statistics import mean, stdev


def coefficient_of_variation(samples: Sequence[float]) -> float | None:
    """
    Return the standard deviation of the samples by their mean; ``None`` for one sample.

    The deviation is the one of a sample, with n - 1 below the fraction bar.
    """
    assert samples, "no samples"
    if len(samples) < 2:
        return None
    return stdev(samples) / mean(samples)
