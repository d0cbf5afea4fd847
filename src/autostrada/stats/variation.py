"""How much samples scatter, as a share of what they are."""

from collections.abc import Sequence
from statistics import mean, stdev


def coefficient_of_variation(samples: Sequence[float]) -> float | None:
    """
    Return the samples' standard deviation by their mean; None of a single one.

    The deviation is the one with n - 1, as the samples are a few of many that could
    have been.
    """
    assert samples, "no samples"
    assert min(samples) > 0, "a share of nothing"
    if len(samples) < 2:
        return None
    return stdev(samples) / mean(samples)
