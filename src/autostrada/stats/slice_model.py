"""
The model of costs in slices, fitted by least squares.

Within a start it is the sum of a contestant's effect, of that of a block of slices that
followed each other, and of that of the speed of the cores in the slice. Over starts it
is the sum of a contestant's effect and of a start's. Both may lack any values.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan, sqrt

from autostrada.stats.least_squares import Fit, connected
from autostrada.stats.prior import Prior, moderated, prior_of
from autostrada.stats.slice_blocks import (
    Slices,
    Speeds,
    disturbed_in,
    parts_of,
    slices_of_starts,
)
from autostrada.stats.slice_speeds import SpeedEffect, without_speeds

POOLED_DEGREES_MIN = 6.0
"""Degrees of freedom of the variance of all contestants from which it is used for a
contestant with one start."""

DEGREES_MIN = 0.9
"""
Degrees of freedom from which a variance is known.

Two starts have one, less what is lost to the effects of starts. With fewer, a quantile
is beyond any number.
"""

DEVIATION_MAX = 0.5
"""Largest standard deviation between starts: with a larger one, two starts differ by a
factor of two, and the contestant would spoil what is said of the others."""

PRIOR_DEGREES_MAX = 6.0
"""
Largest weight, in degrees of freedom, of other contestants in a contestant's variance.

Even if the variances of most are alike, one that varies more must not be taken for one
of them: with this limit, one with three times the variance has no more false splits.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class StartEffect:
    """The logarithm of a contestant's cost in a start, less that of its blocks."""

    name: str
    start: tuple[int, int]
    """Number of the start and of its part that common blocks connect."""

    value: float


@dataclass(frozen=True, kw_only=True, slots=True)
class WithinStarts:
    """What the slices of a start tell of each other."""

    variance: float
    rounds: int
    share_of_start: float
    """Variance of a contestant's effect in a start that its slices explain."""

    disturbed: int
    speed: SpeedEffect


def starts_of(
    values: Slices, speeds: Speeds | None = None
) -> tuple[list[StartEffect], WithinStarts]:
    """
    Return the effects of each contestant in each start, by least squares.

    What the speed of the cores adds to each slice is subtracted first.
    """
    speed, slices_of_start = without_speeds(slices_of_starts(values, speeds or {}))
    disturbed = disturbed_in(slices_of_start)
    effects, squares, degrees = [], 0.0, 0
    slices: Counter[tuple[str, int]] = Counter()
    for start, found in slices_of_start.items():
        kept = [each for each in found if each not in disturbed]
        for part, members in enumerate(parts_of(kept)):
            fit = Fit.of([each.row for each in members])
            squares += float((fit.residuals**2).sum())
            degrees += len(members) - fit.rank
            effects += [
                StartEffect(name=name, start=(start, part), value=float(value))
                for name, value in zip(fit.names, fit.effects, strict=True)
            ]
            slices.update((each.name, start) for each in members)
    variance = squares / degrees if degrees else nan
    inverse = [1 / count for count in slices.values()]
    mean = sum(inverse) / len(inverse) if inverse else nan
    return effects, WithinStarts(
        variance=variance,
        rounds=max(slices.values(), default=0),
        share_of_start=variance * mean if degrees else 0.0,
        disturbed=len(disturbed),
        speed=speed,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Model:
    """Costs of contestants over starts, and how much these vary."""

    costs: Mapping[str, float]
    """Logarithm of each contestant's cost, less a constant."""

    variance: float
    """Variance between starts of all contestants together; ``nan`` if not known."""

    variances: Mapping[str, float]
    """Variance between starts of each contestant; ``nan`` if not known."""

    errors: Mapping[tuple[str, str], tuple[float, float]]
    """Standard error of each difference of costs, and its degrees of freedom."""

    @classmethod
    def of(cls, effects: Sequence[StartEffect], *, bias: float = 0.0) -> "Model":
        """
        Fit the effects of starts.

        Residuals have variances by contestant, which are moderated by those of the
        others. Few contestants cannot tell how much their variances differ, so these
        are not moderated, and only a contestant with one start has that of the others.
        Those that vary by more than ``DEVIATION_MAX`` are left out. ``bias`` is the
        standard deviation of an error that all starts of a contestant share.
        """
        found = {(effect.name, effect.start): effect.value for effect in effects}
        keys = connected(found)[0]
        fit = Fit.of([(*key, found[key]) for key in keys])
        squares: dict[str, float] = defaultdict(float)
        degrees: dict[str, float] = defaultdict(float)
        starts = Counter(name for name, _ in keys)
        for (name, _), residual, leverage in zip(
            keys, fit.residuals, fit.leverages, strict=True
        ):
            squares[name] += float(residual) ** 2
            degrees[name] += max(0.0, 1 - float(leverage)) if starts[name] > 1 else 0.0
        total = sum(degrees.values())
        variance = sum(squares.values()) / total if total else nan
        priors = [
            (squares[name] / own, own) for name, own in degrees.items() if own > 0.5
        ]
        prior = prior_of(priors)
        if prior is not None:
            prior = replace(prior, degrees=min(prior.degrees, PRIOR_DEGREES_MAX))
        variances = {}
        for name, own in degrees.items():
            used = prior
            if not own and total >= POOLED_DEGREES_MIN:
                used = prior or Prior(variance=variance, degrees=POOLED_DEGREES_MIN / 2)
            degrees[name] += used.degrees if used else 0.0
            variances[name] = nan
            is_known = degrees[name] >= DEGREES_MIN
            if is_known and (own or total >= POOLED_DEGREES_MIN):
                value = squares[name] / own if own else 0.0
                variances[name] = moderated(value, own, used)
        known = [each for each in variances if not isnan(variances[each])]
        widest = max(known, key=variances.__getitem__, default=None)
        if widest and variances[widest] > DEVIATION_MAX**2:
            return cls.of([each for each in effects if each.name != widest], bias=bias)
        return cls(
            costs=dict(zip(fit.names, map(float, fit.effects), strict=True)),
            variance=variance,
            variances=variances,
            errors=_errors(fit, [name for name, _ in keys], variances, degrees, bias),
        )

    @property
    def names(self) -> list[str]:
        """All contestants that are connected."""
        return [*self.costs]


def _errors(
    fit: Fit,
    rows: Sequence[str],
    variances: Mapping[str, float],
    degrees: Mapping[str, float],
    bias: float,
) -> dict[tuple[str, str], tuple[float, float]]:
    """
    Return the standard error of each difference, if known, with degrees of freedom.

    ``rows`` are the contestants of the fitted values. The degrees are those of a sum of
    variances (F. E. Satterthwaite, An approximate distribution of estimates of variance
    components, 1946).
    """
    import numpy as np

    of_rows = np.asarray(rows)
    total = np.full((len(fit.names), len(fit.names)), 2 * bias**2)
    uncertain = np.zeros_like(total)
    for name in fit.names:
        if isnan(variances[name]):
            continue
        influence = fit.influence[:, of_rows == name]
        products = influence @ influence.T
        squares = np.diag(products)
        part = variances[name] * (squares[:, None] + squares - 2 * products)
        total += part
        uncertain += part**2 / degrees[name]
    known = [
        (index, name)
        for index, name in enumerate(fit.names)
        if not isnan(variances[name])
    ]
    return {
        (one, other): (
            sqrt(total[first, second]),
            float(total[first, second] ** 2 / uncertain[first, second]),
        )
        for first, one in known
        for second, other in known
        if one != other
    }
