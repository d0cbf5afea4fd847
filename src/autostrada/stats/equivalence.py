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
from dataclasses import replace
from math import ceil, exp, expm1, inf, log, log1p, sqrt
from statistics import NormalDist, fmean, stdev

from autostrada.stats.change import Change, Direction, direction_from
from autostrada.stats.prior import DEVIATION_MIN
from autostrada.stats.ratio import Ratio
from autostrada.stats.sequential import boundaries
from autostrada.stats.slice_model import starts_of

LOOKS = (3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48)
"""Numbers of rounds after which both sides are compared."""

ERROR_MAX = 0.05
"""Probability that any interval, of all rows at all looks, misses its ratio."""

RULE = (
    f"repeated intervals of two sides, looks after {', '.join(map(str, LOOKS))} "
    f"rounds, {ERROR_MAX:.0%} error of all rows, deviations of at least "
    f"{DEVIATION_MIN:.1%}"
)
"""How the rows of a run with two sides are decided, kept in its plan."""

HALF_WIDTH_MIN = 0.001
"""Smallest half-width of an interval for which further rounds are forecast."""

POWER = 0.8
"""Probability with which the smallest detectable change is detected."""


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
    limits: Sequence[float] = (),
) -> Change:
    """
    Compare two sides by the logarithms of their ratio in each round, at least one.

    Ratios from ``1 / (1 + margin)`` to ``1 + margin`` count as the same. The table has
    so many ``rows``, and no look is after ``rounds_max`` rounds, at least
    ``LOOKS[0]``. The first look counts that decides, also on which side of each of the
    ``limits``, which are ratios, or else the last one. The deviation is at least
    ``DEVIATION_MIN``: equal samples were not resolved.
    """
    assert margin > 0, margin
    assert rounds_max >= LOOKS[0], rounds_max
    looks = tuple(look for look in LOOKS if look <= rounds_max)
    critical = boundaries(ERROR_MAX / 2 / rows, looks)
    found = Change(
        ratio=Ratio(value=exp(fmean(logs)), low=0.0, high=inf, confidence=0.0),
        direction=Direction.UNCLEAR,
        margin=margin,
        needed_rounds=max(1, LOOKS[0] - len(logs)),
    )
    for look, value in zip(looks, critical, strict=True):
        if look > len(logs):
            break
        found = _at_look(logs[:look], value, margin)
        if found.direction is not Direction.UNCLEAR and not any(
            found.ratio.low <= limit <= found.ratio.high for limit in limits
        ):
            return found
    if not found.ratio.confidence:
        return found
    half_width = _half_width(logs, margin, limits)
    needed = _needed(logs, half_width, looks, critical)
    return replace(found, needed_rounds=max(1, needed - len(logs)))


def _at_look(logs: Sequence[float], critical: float, margin: float) -> Change:
    """Return the change in the rounds at a look."""
    mean, error = fmean(logs), _deviation(logs) / sqrt(len(logs))
    low, high = mean - critical * error, mean + critical * error
    direction = direction_from(low, high, 0.0)
    if -log1p(margin) <= low and high <= log1p(margin):
        direction = Direction.SAME
    return Change(
        ratio=Ratio(
            value=exp(mean), low=exp(low), high=exp(high), confidence=1 - ERROR_MAX
        ),
        direction=direction,
        margin=margin,
        detectable=expm1((critical + NormalDist().inv_cdf(POWER)) * error),
    )


def _half_width(logs: Sequence[float], margin: float, limits: Sequence[float]) -> float:
    """Return the half-width of an interval of the present mean that decides."""
    mean = fmean(logs)
    decides = max(abs(mean), log1p(margin) - abs(mean))
    found = min([decides, *(abs(mean - log(limit)) for limit in limits)])
    return max(found, HALF_WIDTH_MIN)


def _needed(
    logs: Sequence[float],
    half_width: float,
    looks: Sequence[int],
    critical: Sequence[float],
) -> int:
    """
    Return the number of rounds whose look is expected to have a half-width.

    The mean and the deviation are assumed to remain. After the last planned look, its
    critical value is assumed for every number of rounds.
    """
    deviation = _deviation(logs)
    later = (
        look
        for look, value in zip(looks, critical, strict=True)
        if look > len(logs) and value * deviation <= half_width * sqrt(look)
    )
    beyond = ceil((critical[-1] * deviation / half_width) ** 2)
    return next(later, max(beyond, looks[-1]))


def _deviation(logs: Sequence[float]) -> float:
    return max(stdev(logs), DEVIATION_MIN)
