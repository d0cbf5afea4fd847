"""The ratio of two figures, with an interval."""

from collections.abc import Sequence, Sized
from dataclasses import dataclass
from math import comb, inf
from statistics import median
from typing import TYPE_CHECKING

from autostrada.stats.interval import CONFIDENCE_MIN, attained_confidence
from autostrada.stats.quantile import Trials, pooled_ns, quantile_distribution

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Distribution = tuple[NDArray[np.float64], NDArray[np.float64]]
    """What a figure of a resample can be, and how probable each value is."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ratio:
    """How many times one figure is the other, and between which bounds."""

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
    the same bounds. In simulations of five against five, the bounds enclosed the true
    ratio in 93 to 97 % of the cases, whether or not the groups scatter alike.
    """
    return distribution_ratio(
        median_distribution(numerator),
        median_distribution(denominator),
        value=_divided(median(numerator), median(denominator)),
        confidence=_attained(confidence, numerator, denominator),
        nominal=confidence,
    )


def quantile_ratio(
    numerator: Trials,
    denominator: Trials,
    quantile: float,
    confidence: float = CONFIDENCE_MIN,
) -> Ratio:
    """Return the ratio of two quantiles, each of all trials together."""
    return distribution_ratio(
        quantile_distribution(numerator, quantile),
        quantile_distribution(denominator, quantile),
        value=_divided(
            pooled_ns(numerator, quantile), pooled_ns(denominator, quantile)
        ),
        confidence=_attained(confidence, numerator, denominator),
        nominal=confidence,
    )


def distribution_ratio(
    above: "Distribution",
    below: "Distribution",
    *,
    value: float,
    confidence: float,
    nominal: float,
) -> Ratio:
    """
    Return a ratio with the percentile interval of what two resamples can be.

    The nominal confidence cuts off the tails. The bootstrap cannot be surer than the
    ranges of its samples are, so that ``confidence``, what these attain, may be less
    (93.75 % for five samples). A figure may be 0: then a ratio to it has no bound.
    """
    import numpy as np

    assert 0 < nominal < 1, nominal
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.divide.outer(above[0], below[0]).ravel()
    ratios[np.isnan(ratios)] = 1.0
    weights = np.multiply.outer(above[1], below[1]).ravel()
    order = np.argsort(ratios, kind="stable")
    ratios, weights = ratios[order], weights[order]
    cut_off = (1 - nominal) / 2
    is_low = np.cumsum(weights) >= cut_off
    is_high = np.cumsum(weights[::-1]) >= cut_off
    return Ratio(
        value=value,
        low=float(ratios[np.argmax(is_low)]),
        high=float(ratios[::-1][np.argmax(is_high)]),
        confidence=confidence,
    )


def _divided(above: float, below: float) -> float:
    """Divide figures that are 0 or more; nothing by nothing is no change."""
    if below:
        return above / below
    return inf if above else 1.0


def _attained(nominal: float, *groups: Sized) -> float:
    return min(nominal, *(attained_confidence(len(group)) for group in groups))


def median_distribution(samples: Sequence[float]) -> "Distribution":
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
