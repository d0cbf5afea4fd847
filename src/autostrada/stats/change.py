"""Whether a figure has changed: how much, how significantly, in which direction."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import comb

from autostrada.stats.interval import Interval
from autostrada.stats.ratio import Ratio, median_ratio

ERROR_MAX = 0.05
"""
A figure that has not changed is called higher at most so often, and lower as often.

It is what three samples against three can attain: one order in 20 has all of the one
group above all of the other.
"""

ORDERS_MAX = 12_870
"""So many orders of two groups are counted one by one: those of eight and eight."""


class Direction(StrEnum):
    """Where a figure lies beside another, or beside a limit."""

    HIGHER = "higher"
    LOWER = "lower"
    UNCLEAR = "unclear"


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """How many times a figure is what it was, and what is to be thought of that."""

    ratio: Ratio
    p: float
    """How probable so different an order of the samples is where nothing changed."""

    direction: Direction


def change(
    before: Sequence[float],
    after: Sequence[float],
    factor: float = 1.0,
    *,
    ratio: Ratio | None = None,
) -> Change:
    """
    Compare two groups of samples: did the figure change?

    With a ``factor`` the question is whether it is more, or less, than so many times
    what it was. It is distinguishable from that where two conditions hold together:
    the interval of the ratio lies on one side of the factor, and the order of the
    samples, those before multiplied by the factor, is one that chance makes with
    ``ERROR_MAX`` at most in this direction. The interval alone is too narrow where
    samples are few; the order alone does not look at how far they lie apart. The ratio
    is that of the medians, unless it is given: of quantiles over all trials.
    """
    assert factor > 0, factor
    if ratio is None:
        ratio = median_ratio(after, before)
    p = mann_whitney(after, [factor * sample for sample in before])
    is_clear = ratio.confidence > 0 and p <= 2 * ERROR_MAX
    return Change(
        ratio=ratio,
        p=p,
        direction=_direction(ratio.low, ratio.high, factor, is_clear=is_clear),
    )


def change_of_bounds(ratio: Ratio, factor: float = 1.0) -> Change:
    """Compare two figures of which only bounds are known, as of two searches."""
    return Change(
        ratio=ratio,
        p=1 - ratio.confidence,
        direction=_direction(
            ratio.low, ratio.high, factor, is_clear=ratio.confidence > 0
        ),
    )


def beside(interval: Interval, limit: float) -> Direction:
    """
    Return on which side of a number a figure significantly lies.

    That is where its interval excludes it and misses the true figure on this side with
    ``ERROR_MAX`` at most, which takes five samples.
    """
    is_clear = (1 - interval.confidence) / 2 <= ERROR_MAX
    return _direction(interval.low, interval.high, limit, is_clear=is_clear)


def can_differ(before: int, after: int) -> bool:
    """Whether so many samples can be distinguishable at all, however they lie."""
    is_any_scatter_known = min(before, after) > 1
    return is_any_scatter_known and 1 / comb(before + after, before) <= ERROR_MAX


def can_lie_beside(samples: int) -> bool:
    """Whether so many samples can lie on one side of a number at all."""
    return 0.5**samples <= ERROR_MAX


def mann_whitney(first: Sequence[float], second: Sequence[float]) -> float:
    """
    Return the two-sided p of the Mann-Whitney test (H. B. Mann, D. R. Whitney, 1947).

    How probable is it that two groups drawn from the same distribution, whatever it
    is, lie at least as far apart as these in their order? It is twice the probability
    that they do so in this direction, at most 1. Of few samples all orders are
    counted, with ties as they are; of many, the normal approximation is used. One
    sample has no order, and its p is 1.
    """
    from scipy.stats import PermutationMethod, mannwhitneyu

    assert first, "no samples"
    assert second, "no samples"
    every = [*first, *second]
    if min(every) == max(every) or min(len(first), len(second)) == 1:
        return 1.0
    orders = comb(len(every), len(first))
    if orders > ORDERS_MAX:
        method = "asymptotic"
    elif len(set(every)) < len(every):
        method = PermutationMethod(n_resamples=orders)
    else:
        method = "exact"
    return float(mannwhitneyu(first, second, method=method).pvalue)


def _direction(low: float, high: float, limit: float, *, is_clear: bool) -> Direction:
    if is_clear and low > limit:
        return Direction.HIGHER
    if is_clear and high < limit:
        return Direction.LOWER
    return Direction.UNCLEAR
