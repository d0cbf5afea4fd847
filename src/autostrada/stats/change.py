"""Tests of whether a metric has changed: by how much, and in which direction."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import comb

from autostrada.stats.interval import Interval
from autostrada.stats.ratio import Ratio, median_ratio

ERROR_MAX = 0.05
"""
Maximum probability of an error in each direction, for a metric that has not changed.

Two groups of three samples can attain it: one order in 20 has all samples of one group
above those of the other.
"""

ORDERS_MAX = 12_870
"""Maximum number of orders that are enumerated: those of two groups of eight."""


class Direction(StrEnum):
    """The position of a metric relative to another one, or to a limit."""

    HIGHER = "higher"
    LOWER = "lower"
    SAME = "same"
    """Within a margin, significantly."""

    UNCLEAR = "unclear"


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """The change of a metric: its ratio, direction, and what the test tells of it."""

    ratio: Ratio
    direction: Direction
    p: float | None = None
    """Two-sided probability of such an order of the samples if nothing changed."""

    margin: float | None = None
    """Largest change that counts as the same, as a share; ``None`` if none does."""

    detectable: float | None = None
    """Smallest change that so many rounds detect, as a share; ``None`` if unknown."""

    needed_rounds: int = 0
    """Further rounds after which the test is expected to decide; 0 if it has."""

    def relative_to(self, factor: float) -> "Change":
        """Return the change with the direction of its interval from a factor."""
        is_clear = self.ratio.confidence > 0
        low, high = self.ratio.low, self.ratio.high
        direction = direction_from(low, high, factor, is_clear=is_clear)
        return replace(self, direction=direction)


def change(
    before: Sequence[float],
    after: Sequence[float],
    factor: float = 1.0,
    *,
    ratio: Ratio | None = None,
) -> Change:
    """
    Test whether ``after`` is higher or lower than ``factor`` times ``before``.

    A change has a direction if two conditions are met: the interval of the ratio
    excludes the factor, and chance produces the order of the samples (those before
    multiplied by the factor) with a probability of at most ``ERROR_MAX`` in this
    direction. For few samples the interval alone is too narrow, and the order alone
    ignores the distance between samples. ``ratio`` defaults to that of the medians.
    """
    assert factor > 0, factor
    if ratio is None:
        ratio = median_ratio(after, before)
    p = mann_whitney(after, [factor * sample for sample in before])
    is_clear = ratio.confidence > 0 and p <= 2 * ERROR_MAX
    return Change(
        ratio=ratio,
        p=p,
        direction=direction_from(ratio.low, ratio.high, factor, is_clear=is_clear),
    )


def side_of_limit(interval: Interval, limit: float) -> Direction:
    """
    Return on which side of a limit a metric significantly lies.

    Its interval must exclude the limit, and miss the true metric on this side with a
    probability of at most ``ERROR_MAX``, which requires five samples.
    """
    is_clear = (1 - interval.confidence) / 2 <= ERROR_MAX
    return direction_from(interval.low, interval.high, limit, is_clear=is_clear)


def can_differ(before: int, after: int) -> bool:
    """Whether groups with these numbers of samples can be distinguishable at all."""
    has_variation = min(before, after) > 1
    return has_variation and 1 / comb(before + after, before) <= ERROR_MAX


def can_exclude_limit(samples: int) -> bool:
    """Whether this number of samples can be significantly on one side of a limit."""
    return 0.5**samples <= ERROR_MAX


def mann_whitney(first: Sequence[float], second: Sequence[float]) -> float:
    """
    Return the two-sided p of the Mann-Whitney test (H. B. Mann, D. R. Whitney, 1947).

    It is the probability that two groups from the same distribution differ in their
    order at least as much as these: twice the probability in this direction, at most 1.
    For few samples, all orders are enumerated, including ties; for many, the normal
    approximation is used. The result is 1 if a group has a single sample or if all
    samples are equal.
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


def direction_from(
    low: float, high: float, limit: float, *, is_clear: bool = True
) -> Direction:
    """Return on which side of a limit an interval lies, if it is clear."""
    if is_clear and low > limit:
        return Direction.HIGHER
    if is_clear and high < limit:
        return Direction.LOWER
    return Direction.UNCLEAR
