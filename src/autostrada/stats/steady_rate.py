"""The steady part of a rate: when the warm-up ends, and whether it ends at all."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import sqrt
from statistics import fmean

SLICES_MAX = 40
"""
Maximum number of slices of equal length whose rates are examined.

A collector that pauses several times in the trial slows down some of them at any time,
which is no trend.
"""

SLICES_MIN = 10
"""
Minimum number of slices.

A slice is at least as long as the longest distance of two points, between which
progress is interpolated.
"""

POINTS_MIN = 20
"""Minimum number of points after the start."""

WARM_UP_SHARE_MAX = 0.5
"""Longest warm-up, as a share of the trial."""

CHANGE_SHARE_MAX = 0.05
"""
Largest relative difference between the rates of both halves of a steady window.

A smaller trend may be significant, but is less than repetitions differ.
"""

GROWTH_MAX = 1.25
"""
Largest ratio of the rate in a window's second half to that in its first, if steady.

At this ratio the mean rate of the window is a ninth below that of its second half.
"""

SIGNIFICANT_Z = 1.96
"""Two-sided 5 % quantile of the normal distribution."""

SECOND_NS = 1e9


@dataclass(frozen=True, slots=True)
class Milestone:
    """The quantity that was done since the start of a trial."""

    at_ns: float
    done: float


@dataclass(frozen=True, kw_only=True, slots=True)
class SteadyWindow:
    """The part of a trial that follows the warm-up; times since its first point."""

    start_ns: float
    end_ns: float
    per_s: float
    """Quantity done per second within the window."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NotSteady:
    """A trial whose rate did not become steady, and why, in words."""

    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Unobserved:
    """A trial with too few points to examine its rate, and why, in words."""

    reason: str


def steady_window(
    points: Sequence[Milestone],
) -> SteadyWindow | NotSteady | Unobserved:
    """
    Return the steady part of a rate, from points in order of time.

    The warm-up is removed by the marginal standard error rule (K. P. White, An
    effective truncation heuristic for bias reduction in simulation output, 1997): of
    all truncation points in the first half, the one whose remainder estimates the mean
    most precisely. The rule assumes that the remainder is stationary. It is not if two
    conditions hold together: the test of H. B. Mann (1945) and M. G. Kendall (1975)
    finds a trend at the level of 5 %, and the rates of its halves differ by more than
    ``CHANGE_SHARE_MAX``. A rate that is interrupted periodically, such as by a garbage
    collector, has no trend. The steady part begins and ends at a point.
    """
    if len(points) <= POINTS_MIN:
        return Unobserved(
            reason=f"its progress is known at {max(0, len(points) - 1)} instants; at "
            f"least {POINTS_MIN} are needed"
        )
    slices = min(SLICES_MAX, int(1 / _longest_share(points)))
    if slices < SLICES_MIN:
        return Unobserved(
            reason=f"its progress is unknown for {_longest_share(points):.0%} of it at "
            f"once; at most {1 / SLICES_MIN:.0%} may be"
        )
    first_ns, last_ns = points[0].at_ns, points[-1].at_ns
    rates = slice_rates(points, slices)
    skipped = warm_up_slices(rates)
    steady = rates[skipped:]
    before, after = fmean(steady[: len(steady) // 2]), fmean(steady[len(steady) // 2 :])
    change = (after - before) / before if before else float(after > 0)
    if abs(change) > CHANGE_SHARE_MAX and abs(trend_z(steady)) > SIGNIFICANT_Z:
        verb = "rises" if change > 0 else "falls"
        return NotSteady(
            reason=f"the rate still {verb}, by {abs(change):.0%} in the last "
            f"{(last_ns - first_ns) * (slices - skipped) / slices / SECOND_NS:.1f} s"
        )
    warm_ns = first_ns + (last_ns - first_ns) * skipped / slices
    start = points[bisect_left(points, warm_ns, key=lambda point: point.at_ns)]
    gained = points[-1].done - start.done
    return SteadyWindow(
        start_ns=start.at_ns - first_ns,
        end_ns=last_ns - first_ns,
        per_s=gained / (last_ns - start.at_ns) * SECOND_NS,
    )


def _longest_share(points: Sequence[Milestone]) -> float:
    """
    Return the largest share of a trial between two points, of its time and quantity.

    A pause takes much time, but nothing is done in it; a burst takes no time. In both,
    the rate is known, so the smaller of the two shares counts.
    """
    whole_ns = points[-1].at_ns - points[0].at_ns
    whole = points[-1].done - points[0].done
    return max(
        min((after.at_ns - before.at_ns) / whole_ns, (after.done - before.done) / whole)
        for before, after in pairwise(points)
    )


def done_at(points: Sequence[Milestone], at_ns: float) -> float:
    """Return what was done at an instant, interpolated; points are in order of time."""
    index = bisect_left(points, at_ns, key=lambda point: point.at_ns)
    if index == 0:
        return points[0].done
    if index == len(points):
        return points[-1].done
    before, after = points[index - 1], points[index]
    share = (at_ns - before.at_ns) / (after.at_ns - before.at_ns)
    return before.done + share * (after.done - before.done)


def slice_rates(points: Sequence[Milestone], slices: int) -> list[float]:
    """Return the rates of slices of equal length, in quantity per second."""
    first_ns, last_ns = points[0].at_ns, points[-1].at_ns
    slice_ns = (last_ns - first_ns) / slices
    edges = [
        done_at(points, first_ns + number * slice_ns) for number in range(slices + 1)
    ]
    return [
        (after - before) / slice_ns * SECOND_NS for before, after in pairwise(edges)
    ]


def warm_up_slices(rates: Sequence[float]) -> int:
    """
    Return the number of slices that belong to the warm-up.

    It is the number that minimises the marginal standard error: the sum of squared
    deviations of the remaining rates, divided by the square of their number.
    """
    errors = {}
    for skipped in range(int(len(rates) * WARM_UP_SHARE_MAX) + 1):
        remaining = rates[skipped:]
        mean = fmean(remaining)
        squares = sum((rate - mean) ** 2 for rate in remaining)
        errors[skipped] = squares / len(remaining) ** 2
    return min(errors, key=errors.__getitem__)


def trend_z(values: Sequence[float]) -> float:
    """
    Return the normal score of Mann and Kendall's test for a trend; 0 without one.

    It is positive if later values tend to be larger. Ties reduce the variance, and the
    score is corrected for continuity.
    """
    number = len(values)
    rises = sum(
        (later > earlier) - (later < earlier)
        for earlier, later in combinations(values, 2)
    )
    ties = sum(
        count * (count - 1) * (2 * count + 5) for count in Counter(values).values()
    )
    variance = (number * (number - 1) * (2 * number + 5) - ties) / 18
    if variance <= 0 or rises == 0:
        return 0.0
    return (rises - (1 if rises > 0 else -1)) / sqrt(variance)
