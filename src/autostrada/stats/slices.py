"""
Contestants compared in slices, by the cost of a message: the smallest is the best.

A *start* has new processes of all contestants, and rounds in which each of them has a
slice. On a logarithmic scale, the cost in a slice is the sum of the contestant's, of
what this start of it adds, of what a block of slices in a row adds to all, of what the
speed of its cores adds, and of the slice's noise. A slow machine is an effect of blocks
or of the cores, and so cancels; the starts are the samples.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import exp, expm1, isnan, log, nan, sqrt

from autostrada.stats.ratio import Ratio
from autostrada.stats.slice_blocks import Slices, Speeds
from autostrada.stats.slice_model import Model, starts_of
from autostrada.stats.slice_speeds import SpeedEffect

ERROR_MAX = 0.05
"""Probability that any of the intervals, or of the splits of equal ones, is false."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SliceEstimate:
    """A contestant's cost compared with that of all others."""

    to_best: Ratio
    """
    Cost as a multiple of the smallest, with its simultaneous interval.

    The interval contains the ratio to the truly best, whichever that is, for all
    contestants in ``1 - ERROR_MAX`` of all tables. Its confidence is 0 if the variance
    is not known.
    """

    half_width: float | None
    """
    Half-width of the interval of its ratio to the best one, as a share of the ratio.

    For the best one it is that of the next one's ratio; ``None`` without an interval.
    """

    rank: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class SliceComparison:
    """The comparison of all contestants of a table."""

    estimates: Mapping[str, SliceEstimate]
    """By name, the best first."""

    starts: int
    """Largest number of starts of a contestant."""

    rounds: int
    """Largest number of slices of a contestant in a start."""

    start_deviation: float
    """Standard deviation between starts, without slices; ``nan`` if not known."""

    slice_deviation: float
    """Standard deviation between slices of a start; ``nan`` if not known."""

    disturbed: int
    """Number of slices that were left out."""

    speed: SpeedEffect

    @property
    def start_share(self) -> float:
        """Share of the variance of a contestant's result that is between starts."""
        between, within = self.start_deviation**2, self.slice_deviation**2 / self.rounds
        return between / (between + within) if between + within else nan


def compare_slices(
    values: Slices,
    speeds: Speeds | None = None,
    *,
    bias_max: float = 0.0,
    unranked: Collection[str] = (),
) -> SliceComparison | None:
    """
    Compare contestants that were measured in slices; ``None`` without any.

    ``speeds`` tell how fast the cores were in each slice.

    Starts and rounds may lack contestants: all that are connected by common blocks are
    compared. A contestant without a connection to most others is left out, and so is
    one that varies by more than ``DEVIATION_MAX`` between starts. The ``unranked`` take
    part, but are neither ranked nor the best.

    The first rank are those that may be the best, up to the last of them in the order
    of costs: none of the others is the best. Neighbours after it have different ranks
    if their gap exceeds its critical value. ``bias_max``, on a logarithmic scale, is
    added to each critical difference. Lower ranks come from gaps of neighbours and not
    from comparisons with the first one of a group: two equal ones near the limit of
    such a group would have different ranks by chance.
    """
    starts, within = starts_of(values, speeds)
    if not starts:
        return None
    model = Model.of(starts, bias=within.speed.bias)
    names = sorted(
        (name for name in model.names if name not in unranked),
        key=lambda name: (model.costs[name], name),
    )
    if not names:
        return None
    ranks = _ranks(model, names, bias_max)
    added = model.variance - within.share_of_start
    return SliceComparison(
        estimates={
            name: replace(estimate, rank=ranks.get(name))
            for name, estimate in _estimates(model, names)
        },
        starts=max(len(by_start) for by_start in values.values()),
        rounds=within.rounds,
        start_deviation=0.0 if added < 0 else sqrt(added),
        slice_deviation=sqrt(within.variance),
        disturbed=within.disturbed,
        speed=within.speed,
    )


def critical_gap(contestants: int, degrees: float) -> float:
    """
    Return the gap of neighbours that splits them, in standard errors of its difference.

    Two equal ones of ``contestants``, two or more, are split in at most ``ERROR_MAX``
    of all tables, whichever of them are equal. The worst case are pairs of equal ones,
    since the others of a larger group fill its gaps (simulated in the tests). So the
    gap is the quantile of Student's t for half as many independent pairs.
    """
    return _student(contestants // 2, degrees)


def critical_difference(contestants: int, degrees: float) -> float:
    """
    Return the half-width of simultaneous intervals of all differences from one.

    It is in standard errors, and by Šidák's inequality holds for any variances and
    numbers of starts.
    """
    return _student(contestants - 1, degrees)


def _student(comparisons: int, degrees: float) -> float:
    from scipy.special import stdtrit

    alone = -expm1(log(1 - ERROR_MAX) / comparisons)
    return float(stdtrit(degrees, 1 - alone / 2))


def _estimates(
    model: Model, names: Sequence[str]
) -> Iterator[tuple[str, SliceEstimate]]:
    """
    Yield the estimate of each contestant, with its interval if variances are known.

    The interval is that of all distances from the best (J. C. Hsu, Simultaneous
    confidence intervals for all distances from the "best", 1981): the union of those
    of the contestant's ratios to each one that may be the best, because it does not
    differ from any better one (D. G. Edwards, J. C. Hsu, Multiple comparisons with the
    best treatment, 1983).
    """
    best = names[0]
    known = [name for name in names if not isnan(model.variances[name])]
    halves = _half_widths(model, known)
    candidates = _may_be_best(model, known)
    for name in [*names, *(each for each in model.names if each not in names)]:
        cost = model.costs[name] - model.costs[best]
        low = high = cost
        peer = next((each for each in known if each != name), None)
        has_interval = (name, peer) in halves and not isnan(model.variances[name])
        if has_interval:
            distances = [
                (model.costs[name] - model.costs[other], halves.get((name, other), 0.0))
                for other in candidates
            ]
            low = min(cost, *(distance - half for distance, half in distances))
            high = max(cost, *(distance + half for distance, half in distances))
            # A ranked contestant is not better than the best.
            low = max(0.0, low) if name in names else low
        yield (
            name,
            SliceEstimate(
                to_best=Ratio(
                    value=exp(cost),
                    low=exp(low),
                    high=exp(high),
                    confidence=1 - ERROR_MAX if has_interval else 0.0,
                ),
                half_width=expm1(halves[name, peer]) if has_interval and peer else None,
            ),
        )


def _half_widths(model: Model, known: Sequence[str]) -> dict[tuple[str, str], float]:
    """Return the half-widths of simultaneous intervals of the differences of two."""
    return {
        pair: critical_difference(len(known), degrees) * error
        for pair, (error, degrees) in model.errors.items()
        if len(known) > 1
    }


def _may_be_best(
    model: Model, known: Sequence[str], bias_max: float = 0.0
) -> list[str]:
    """Return those that no other one is significantly better than."""
    halves = _half_widths(model, known)
    return [
        name
        for name in known
        if all(
            model.costs[name] - model.costs[other]
            <= halves.get((name, other), 0.0) + bias_max
            for other in known
        )
    ]


def _ranks(model: Model, names: Sequence[str], bias_max: float) -> dict[str, int]:
    """Return the ranks of the contestants whose variance is known, if two are."""
    ranked = [name for name in names if not isnan(model.variances[name])]
    if len(ranked) < 2:
        return {}
    last = _may_be_best(model, ranked, bias_max)[-1]
    firsts = ranked.index(last) + 1
    ranks = dict.fromkeys(ranked[:firsts], 1)
    for position, (one, other) in enumerate(pairwise(ranked), start=2):
        if position <= firsts:
            continue
        error, degrees = model.errors[one, other]
        critical = critical_gap(len(ranked), degrees) * error + bias_max
        is_split = model.costs[other] - model.costs[one] > critical
        is_split |= position == firsts + 1
        ranks[other] = position if is_split else ranks[one]
    return ranks
