"""The ratio of two medians, with an interval."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from statistics import median
from typing import TYPE_CHECKING

from autostrada.stats.interval import CONFIDENCE_MIN, attained_confidence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, slots=True)
class Ratio:
    """How many times one median is the other, and between which bounds."""

    value: float
    low: float
    high: float
    confidence: float
    """At most so sure are the bounds, in [0, 1]; 0 where one sample gives none."""

    @property
    def is_distinguishable(self) -> bool:
        """Whether the bounds exist and exclude 1: the two are not the same."""
        return self.confidence > 0 and not self.low <= 1 <= self.high


def median_ratio(
    numerator: Sequence[float],
    denominator: Sequence[float],
    confidence: float = CONFIDENCE_MIN,
) -> Ratio:
    """
    Return the ratio of the medians and its percentile bootstrap interval.

    The bootstrap (B. Efron, R. Tibshirani, An Introduction to the Bootstrap, 1993,
    chapter 13) draws both groups of samples again with replacement and looks how the
    ratio scatters. Here nothing is drawn: the distribution that infinitely many draws
    would approach is computed, so no seed is needed and the same samples always give
    the same bounds.

    ``confidence`` is nominal: the bootstrap cannot be surer than the ranges of its
    samples are. So the ``confidence`` of the result is the smallest of the nominal one
    and of what the range of each group attains (93.75 % for five samples). In
    simulations of five against five, the bounds enclosed the true ratio in 93 to 97 %
    of the cases, whether or not the groups scatter alike.
    """
    import numpy as np

    assert 0 < confidence < 1, confidence
    assert min(*numerator, *denominator) > 0, "a duration is positive"
    above, above_weights = median_distribution(numerator)
    below, below_weights = median_distribution(denominator)
    ratios = np.divide.outer(above, below).ravel()
    weights = np.multiply.outer(above_weights, below_weights).ravel()
    order = np.argsort(ratios, kind="stable")
    ratios, weights = ratios[order], weights[order]
    cut_off = (1 - confidence) / 2
    is_low = np.cumsum(weights) >= cut_off
    is_high = np.cumsum(weights[::-1]) >= cut_off
    return Ratio(
        value=median(numerator) / median(denominator),
        low=float(ratios[np.argmax(is_low)]),
        high=float(ratios[::-1][np.argmax(is_high)]),
        confidence=min(
            confidence,
            attained_confidence(len(numerator)),
            attained_confidence(len(denominator)),
        ),
    )


def median_distribution(
    samples: Sequence[float],
) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """
    Return what the median of a resample can be, and how probable each value is.

    The m-th smallest of n draws is the i-th smallest sample or below exactly if at
    least m draws fell there. With an even n the median is the mean of the m-th and the
    next draw: they are the samples i < j exactly if m draws fell up to i, not all of
    them below it, and the others from j upwards, not all of them above it.
    """
    import numpy as np

    assert len(samples) > 0, "no samples"
    ordered = np.sort(np.asarray(samples, dtype=np.float64))
    size = len(ordered)
    shares = np.arange(size + 1) / size
    middle = (size + 1) // 2
    at_or_below = sum(
        comb(size, draws) * shares**draws * (1 - shares) ** (size - draws)
        for draws in range(middle, size + 1)
    )
    at_middle = np.diff(at_or_below)
    if size % 2 == 1:
        return ordered, at_middle
    up_to = np.diff(shares**middle)
    joint = np.triu(comb(size, middle) * np.outer(up_to, up_to[::-1]), k=1)
    joint += np.diag(at_middle - joint.sum(axis=1))
    first, second = np.triu_indices(size)
    return (ordered[first] + ordered[second]) / 2, joint[first, second]
