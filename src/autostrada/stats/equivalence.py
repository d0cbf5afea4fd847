"""
Whether two sides measured in turn differ, or are equivalent, as rounds are added.

A round has new processes of both sides, whose slices alternate. Its sample is the
logarithm of the ratio of their costs. All verdicts are read from one repeated
confidence interval (C. Jennison, B. W. Turnbull, Interim analyses: the repeated
confidence interval approach, 1989). The sides differ if it excludes 0, and are
equivalent if it lies within a margin, which is two one-sided tests (D. J. Schuirmann, A
comparison of the two one-sided tests procedure and the power approach for assessing the
equivalence of average bioavailability, 1987).

Intervals hold for all rows of a table together by Bonferroni's inequality. Holm's
procedure rejects more, but ties the limit of a row to those of others: a row could not
be decided, and no longer be measured, before these are.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil, inf, log1p, nan, sqrt
from statistics import NormalDist, fmean, stdev

from autostrada.stats.prior import DEVIATION_MIN
from autostrada.stats.sequential import boundaries
from autostrada.stats.slice_model import starts_of

LOOKS = (3, 4, 5, 6, 8, 10, 12, 16, 20, 24)
"""Numbers of rounds after which both sides are compared."""

ERROR_MAX = 0.05
"""Probability that any interval, of all rows at all looks, misses its ratio."""

RULE = (
    f"repeated intervals of two sides, looks after {', '.join(map(str, LOOKS))} "
    f"rounds, {ERROR_MAX:.0%} error of all rows, deviations of at least "
    f"{DEVIATION_MIN:.1%}"
)
"""How the rows of a run with two sides are decided, kept in its plan."""

POWER = 0.8
"""Probability with which the smallest detectable change is detected."""


class SideFinding(StrEnum):
    """How the cost of the second side compares with that of the first."""

    HIGHER = "higher"
    LOWER = "lower"
    SAME = "same"
    """The ratio is within the margin, significantly."""

    UNDECIDED = "undecided"


@dataclass(frozen=True, kw_only=True, slots=True)
class SideComparison:
    """The finding at the first look that decides, or else at the last one so far."""

    finding: SideFinding
    mean: float
    """Mean logarithm of the ratio; ``nan`` without a round."""

    low: float
    high: float
    """Bounds of the mean; infinite before the first look."""

    rounds: int
    """Number of rounds at the look that decided, or else of all so far."""

    needed_rounds: int
    """Further rounds after which a look is expected to decide; 0 if one has."""

    detectable: float
    """Smallest logarithm of a ratio that so many rounds detect; infinite without."""


NOT_COMPARED = SideComparison(
    finding=SideFinding.UNDECIDED,
    mean=nan,
    low=-inf,
    high=inf,
    rounds=0,
    needed_rounds=LOOKS[0],
    detectable=inf,
)
"""What is known of two sides without a round."""


def paired_logs(
    before: Mapping[int, Mapping[int, float]], after: Mapping[int, Mapping[int, float]]
) -> list[float]:
    """
    Return the logarithm of the ratio of two sides' costs in each start, in order.

    Costs are by start and instant in it, in nanoseconds. A start in which a side has no
    slice is left out. The speeds of cores are not subtracted: sides that alternate
    within a second suffer alike, and a correction would have an error of its own.
    """
    found: dict[tuple[int, int], dict[str, float]] = defaultdict(dict)
    for effect in starts_of({"before": before, "after": after})[0]:
        found[effect.start][effect.name] = effect.value
    return [
        values["after"] - values["before"]
        for _, values in sorted(found.items())
        if len(values) == 2
    ]


def compare_sides(
    logs: Sequence[float],
    *,
    margin: float,
    rows: int,
    rounds_max: int = LOOKS[-1],
) -> SideComparison:
    """
    Compare two sides by the logarithms of their ratio in each round.

    Ratios from ``1 / (1 + margin)`` to ``1 + margin`` count as the same. The table has
    so many ``rows``, and no look is after ``rounds_max`` rounds, at least
    ``LOOKS[0]``. The deviation is at least ``DEVIATION_MIN``: equal samples were not
    resolved.
    """
    assert margin > 0, margin
    assert rounds_max >= LOOKS[0], rounds_max
    looks = tuple(look for look in LOOKS if look <= rounds_max)
    critical = boundaries(ERROR_MAX / 2 / rows, looks)
    found = NOT_COMPARED
    if logs:
        left = max(1, LOOKS[0] - len(logs))
        found = replace(found, mean=fmean(logs), rounds=len(logs), needed_rounds=left)
    limit = log1p(margin)
    for look, value in zip(looks, critical, strict=True):
        if look > len(logs):
            break
        found = _at_look(logs[:look], value, limit)
        if found.finding is not SideFinding.UNDECIDED:
            return found
    if found.high == inf:
        return found
    needed = _needed(logs, limit, looks, critical)
    return replace(found, rounds=len(logs), needed_rounds=max(1, needed - len(logs)))


def _at_look(logs: Sequence[float], critical: float, limit: float) -> SideComparison:
    """Return the comparison of the rounds at a look."""
    mean, error = fmean(logs), _deviation(logs) / sqrt(len(logs))
    low, high = mean - critical * error, mean + critical * error
    finding = SideFinding.UNDECIDED
    if -limit <= low and high <= limit:
        finding = SideFinding.SAME
    elif low > 0:
        finding = SideFinding.HIGHER
    elif high < 0:
        finding = SideFinding.LOWER
    return SideComparison(
        finding=finding,
        mean=mean,
        low=low,
        high=high,
        rounds=len(logs),
        needed_rounds=0,
        detectable=(critical + NormalDist().inv_cdf(POWER)) * error,
    )


def _needed(
    logs: Sequence[float],
    limit: float,
    looks: Sequence[int],
    critical: Sequence[float],
) -> int:
    """
    Return the number of rounds whose look is expected to decide.

    The mean and the deviation are assumed to remain. After the last planned look, its
    critical value is assumed for every number of rounds.
    """
    mean, deviation = abs(fmean(logs)), _deviation(logs)
    half_width_max = max(mean, limit - mean)
    later = (
        look
        for look, value in zip(looks, critical, strict=True)
        if look > len(logs) and value * deviation <= half_width_max * sqrt(look)
    )
    beyond = ceil((critical[-1] * deviation / half_width_max) ** 2)
    return next(later, max(beyond, looks[-1]))


def _deviation(logs: Sequence[float]) -> float:
    return max(stdev(logs), DEVIATION_MIN)
