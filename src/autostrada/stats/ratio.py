"""The ratio of two metrics, with an interval."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, inf
from statistics import median
from typing import TYPE_CHECKING

from autostrada.stats.interval import CONFIDENCE_MIN, Interval, attained_confidence
from autostrada.stats.quantile import Trials, pooled_ns, quantile_distribution

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Distribution = tuple[NDArray[np.float64], NDArray[np.float64]]
    """The possible values of a resample's metric, and their probabilities."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ratio:
    """The ratio of two metrics, with its bounds."""

    value: float
    low: float
    high: float
    confidence: float
    """Upper bound of the confidence, in [0, 1]; 0 for one sample, without bounds."""

    @property
    def is_distinguishable(self) -> bool:
        """Whether the bounds have a confidence and exclude 1."""
        return self.confidence > 0 and not self.low <= 1 <= self.high


def median_ratio(numerator: Sequence[float], denominator: Sequence[float]) -> Ratio:
    """
    Return the ratio of the medians and its percentile bootstrap interval.

    The bootstrap (B. Efron, R. Tibshirani, An Introduction to the Bootstrap, 1993,
    chapter 13) resamples both groups with replacement and observes the distribution of
    the ratio. Here this distribution is computed exactly instead of drawn, so no seed
    is needed and the same samples always give the same bounds. In simulations with five
    samples per group, the bounds contained the true ratio in 93 to 97 % of the cases,
    for groups of equal and of different variation.
    """
    return _distribution_ratio(
        median_distribution(numerator),
        median_distribution(denominator),
        value=_divided(median(numerator), median(denominator)),
        samples=min(len(numerator), len(denominator)),
    )


def quantile_ratio(numerator: Trials, denominator: Trials, quantile: float) -> Ratio:
    """Return the ratio of two quantiles, each of all trials pooled."""
    return _distribution_ratio(
        quantile_distribution(numerator, quantile),
        quantile_distribution(denominator, quantile),
        value=_divided(
            pooled_ns(numerator, quantile), pooled_ns(denominator, quantile)
        ),
        samples=min(len(numerator), len(denominator)),
    )


def interval_ratio(above: Interval, below: Interval) -> Ratio:
    """Return the ratio of two metrics of which only the intervals are known."""
    return Ratio(
        value=_divided(above.median, below.median),
        low=_divided(above.low, below.high),
        high=_divided(above.high, below.low),
        confidence=min(above.confidence, below.confidence),
    )


def _distribution_ratio(
    above: "Distribution", below: "Distribution", *, value: float, samples: int
) -> Ratio:
    """
    Return a ratio with the percentile interval of two distributions of resamples.

    A bootstrap cannot have more confidence than the ranges of its samples, of which
    there are at least ``samples`` on each side (93.75 % for five). If the denominator
    may be 0, the upper bound may be infinite.
    """
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.divide.outer(above[0], below[0]).ravel()
    ratios[np.isnan(ratios)] = 1.0
    weights = np.multiply.outer(above[1], below[1]).ravel()
    order = np.argsort(ratios, kind="stable")
    ratios, weights = ratios[order], weights[order]
    cut_off = (1 - CONFIDENCE_MIN) / 2
    is_low = np.cumsum(weights) >= cut_off
    is_high = np.cumsum(weights[::-1]) >= cut_off
    return Ratio(
        value=value,
        low=float(ratios[np.argmax(is_low)]),
        high=float(ratios[::-1][np.argmax(is_high)]),
        confidence=min(CONFIDENCE_MIN, attained_confidence(samples)),
    )


def _divided(above: float, below: float) -> float:
    """Divide metrics that are not negative; 0 / 0 is 1, because nothing changed."""
    if below:
        return above / below
    return inf if above else 1.0


def median_distribution(samples: Sequence[float]) -> "Distribution":
    """
    Return the possible medians of a resample, and their probabilities.

    The m-th smallest of n draws is at most the i-th smallest sample exactly if at least
    m draws are. With an even n, the median is the mean of the m-th and the next draw.
    These are the samples i < j exactly if m draws are at most i, but not all below i,
    and all other draws are at least j, but not all above j.
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
