"""
The model of costs in slices, fitted by least squares.

Within a start it is the sum of a contestant's effect, of that of a block of slices that
followed each other, and of that of the speed of the cores in the slice. Over starts it
is the sum of a contestant's effect and of a start's. Both may lack any values.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, log, nan, sqrt
from statistics import fmean, median
from typing import TYPE_CHECKING

from autostrada.stats.least_squares import Fit, connected
from autostrada.stats.prior import DEVIATION_MIN, Prior, moderated, prior_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Slices = Mapping[str, Mapping[int, Mapping[int, float]]]
"""A positive value of each slice, such as the cost of a message: by contestant, start,
and instant in it in ns."""

Speeds = Mapping[str, Sequence[Mapping[int, Mapping[int, float]]]]
"""How long things of constant work took in each slice, as far as that is known: by
contestant, kind, start, and instant in it."""

BLOCK_SLICES = 8
"""Number of slices in a row that the machine is assumed to affect alike: a few seconds.
Fewer leave less to compare; a round of many contestants takes longer."""

BLOCK_GAP_NS_MAX = 10_000_000_000
"""Longest time between the beginnings of two slices in a row of a block."""

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

DISTURBED_MIN = 8.0
"""Distance of a disturbed slice from the others, in robust standard deviations of
residuals, which are smaller than the noise since medians are subtracted."""

DISTURBED_SHARE_MAX = 0.1
"""Largest share of a contestant's slices that may be disturbed; if more are at least
half as far from the others, they are its own, such as collections of its garbage."""

SQUARES_MIN = 1e-9
"""Sum of squares of logarithms below which a speed did not change."""

SLOPE_DEVIATION = 0.5
"""Standard deviation between contestants of what the speed of the cores adds, as a
share of what it adds to all."""

POLISHES = 3
"""Number of passes in which medians are subtracted."""


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
    speed_share: float
    """Share of the variance between slices that the speed of the cores explains."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Slice:
    name: str
    start: int
    at_ns: int
    log_cost: float
    log_speeds: tuple[float, ...]
    """Logarithms of the times of constant work, less those of all; 0 if unknown."""

    block: int = 0
    """Number of the block in its start."""

    @property
    def row(self) -> tuple[str, int, float]:
        """Contestant, block and value."""
        return self.name, self.block, self.log_cost


def starts_of(
    values: Slices, speeds: Speeds | None = None
) -> tuple[list[StartEffect], WithinStarts]:
    """
    Return the effects of each contestant in each start, by least squares.

    What the speed of the cores adds to each slice is subtracted first.
    """
    speed_share, slices_of_start = _without_speeds(
        _slices_of_starts(values, speeds or {})
    )
    disturbed = _disturbed(slices_of_start)
    effects, squares, degrees = [], 0.0, 0
    slices: Counter[tuple[str, int]] = Counter()
    for start, found in slices_of_start.items():
        kept = [each for each in found if each not in disturbed]
        for part, members in enumerate(_parts(kept)):
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
        speed_share=speed_share,
    )


def _slices_of_starts(values: Slices, speeds: Speeds) -> dict[int, list[_Slice]]:
    """Return the slices of each start in the order of their instants."""
    usual = _means_of_logs(speeds)
    by_start: dict[int, list[_Slice]] = defaultdict(list)
    for name, starts in values.items():
        for start, by_instant in starts.items():
            kinds = speeds.get(name) or [{}] * len(usual)
            timed = [kind.get(start, {}) for kind in kinds]
            by_start[start] += [
                _Slice(
                    name=name,
                    start=start,
                    at_ns=at_ns,
                    log_cost=log(cost),
                    log_speeds=tuple(
                        log(found[at_ns]) - mean if at_ns in found else 0.0
                        for found, mean in zip(timed, usual, strict=True)
                    ),
                )
                for at_ns, cost in by_instant.items()
            ]
    return {start: _in_blocks(found) for start, found in by_start.items()}


def _means_of_logs(speeds: Speeds) -> list[float]:
    """Return the mean logarithm of the speeds of each kind."""
    every: dict[int, list[float]] = defaultdict(list)
    for kinds in speeds.values():
        for kind, starts in enumerate(kinds):
            every[kind] += [
                log(ns) for by_instant in starts.values() for ns in by_instant.values()
            ]
    return [fmean(found) if found else 0.0 for found in every.values()]


def _without_speeds(
    slices_of_start: dict[int, list[_Slice]],
) -> tuple[float, dict[int, list[_Slice]]]:
    """
    Subtract what the speed of the cores adds to costs (analysis of covariance).

    Returns the share of the variance between slices that it explains, and the slices.
    """
    import numpy as np

    disturbed = _disturbed(slices_of_start)
    parts = [
        part
        for found in slices_of_start.values()
        for part in _parts([each for each in found if each not in disturbed])
    ]
    names = np.asarray([each.name for part in parts for each in part])
    costs = _deviations(parts, lambda each: each.log_cost)
    kinds = len(parts[0][0].log_speeds) if parts else 0
    every = [_deviations(parts, _speed_of(kind)) for kind in range(kinds)]
    # What hardly varies explains nothing.
    speeds = np.array(
        [each if each @ each > SQUARES_MIN else 0 * each for each in every]
    )
    if not speeds.any() or not costs.any():
        return 0.0, slices_of_start
    slopes = _slopes(names, costs, speeds.T)
    explained = np.array(
        [speed @ slopes[name] for name, speed in zip(names, speeds.T, strict=True)]
    )
    left = costs - explained
    corrected = {
        start: [_corrected(each, slopes.get(each.name)) for each in found]
        for start, found in slices_of_start.items()
    }
    return 1 - float(left @ left) / float(costs @ costs), corrected


def _speed_of(kind: int) -> Callable[[_Slice], float]:
    return lambda each: each.log_speeds[kind]


def _deviations(
    parts: Sequence[Sequence[_Slice]], value: Callable[[_Slice], float]
) -> "Array":
    """Return the deviations of values from what contestant and block predict."""
    import numpy as np

    fits = [
        Fit.of([(each.name, each.block, value(each)) for each in part])
        for part in parts
    ]
    return np.concatenate([np.zeros(0), *(fit.residuals for fit in fits)])


def _slopes(
    names: "NDArray[np.str_]", costs: "Array", speeds: "Array"
) -> dict[str, "Array"]:
    """
    Return how much speeds add to the costs of each contestant.

    An interpreter may suffer twice as much from a neighbour as the kernel does. Few
    slices hardly tell, so a contestant's coefficients are moderated by those of all, as
    if they differed by ``SLOPE_DEVIATION`` of these (ridge regression).
    """
    import numpy as np

    common = np.linalg.pinv(speeds) @ costs
    left = costs - speeds @ common
    variance = float(left @ left) / len(left)
    squares = np.maximum(SQUARES_MIN, (SLOPE_DEVIATION * common) ** 2)
    slopes = {}
    for name in dict.fromkeys(names):
        own = speeds[names == name]
        matrix = own.T @ own + np.diag(variance / squares)
        difference = np.linalg.solve(matrix, own.T @ left[names == name])
        slopes[str(name)] = common + difference
    return slopes


def _corrected(each: _Slice, slopes: "Array | None") -> _Slice:
    """Return a slice whose cost is that at the usual speed of the cores."""
    if slopes is None:
        return each
    added = sum(
        float(slope) * speed
        for slope, speed in zip(slopes, each.log_speeds, strict=True)
    )
    return replace(each, log_cost=each.log_cost - added)


def _parts(slices: Sequence[_Slice]) -> Iterator[list[_Slice]]:
    """Yield the slices of each part that common blocks connect."""
    pairs = dict.fromkeys((each.name, each.block) for each in slices)
    for keys in map(set, connected(pairs)):
        yield [each for each in slices if (each.name, each.block) in keys]


def _in_blocks(slices: Sequence[_Slice]) -> list[_Slice]:
    """
    Divide the slices of a start into blocks, each without a long pause.

    They are longer than ``BLOCK_SLICES`` if that many do not connect all contestants.
    """
    ordered = sorted(slices, key=lambda each: (each.at_ns, each.name))
    size = BLOCK_SLICES
    while True:
        found: list[_Slice] = []
        block = length = 0
        for each in ordered:
            is_late = found and each.at_ns - found[-1].at_ns > BLOCK_GAP_NS_MAX
            if is_late or length == size:
                block, length = block + 1, 0
            found.append(replace(each, block=block))
            length += 1
        pairs = dict.fromkeys((each.name, each.block) for each in found)
        if size >= len(found) or len(connected(pairs)) == 1:
            return found
        size *= 2


def _disturbed(slices_of_start: Mapping[int, Sequence[_Slice]]) -> set[_Slice]:
    """
    Return the slices that something disturbed, which would spoil a mean.

    They are far from what the medians of contestant and block predict (J. W. Tukey,
    Exploratory data analysis, 1977, chapter 11). They are left out rather than all
    slices weighted by their distance: what a contestant does now and then, such as
    collecting garbage, has to count in full.
    """
    distances: dict[str, dict[_Slice, float]] = defaultdict(dict)
    for slices in slices_of_start.values():
        residuals = {each: each.log_cost for each in slices}
        for _ in range(POLISHES):
            _subtract_medians(residuals, lambda each: each.name)
            _subtract_medians(residuals, lambda each: each.block)
        for each, residual in residuals.items():
            distances[each.name][each] = abs(residual)
    every = [value for found in distances.values() for value in found.values()]
    usual = max(median(every) * 1.4826, DEVIATION_MIN) if every else 0.0
    disturbed = set()
    for found in distances.values():
        own = median(found.values()) * 1.4826
        limit = DISTURBED_MIN * max(own, usual)
        away = sum(value > limit / 2 for value in found.values())
        if away <= max(1, DISTURBED_SHARE_MAX * len(found)):
            disturbed |= {each for each, value in found.items() if value > limit}
    return disturbed


def _subtract_medians(
    residuals: dict[_Slice, float], group: Callable[[_Slice], str | int]
) -> None:
    """Subtract the median of each group of slices from their residuals."""
    groups: dict[str | int, list[_Slice]] = defaultdict(list)
    for each in residuals:
        groups[group(each)].append(each)
    for members in groups.values():
        middle = median(residuals[each] for each in members)
        for each in members:
            residuals[each] -= middle


@dataclass(frozen=True, kw_only=True, slots=True)
class Model:
    """Costs of contestants over starts, and how much these vary."""

    costs: Mapping[str, float]
    """Logarithm of each contestant's cost, less a constant."""

    starts: Mapping[str, int]
    variance: float
    """Variance between starts of all contestants together; ``nan`` if not known."""

    variances: Mapping[str, float]
    """Variance between starts of each contestant; ``nan`` if not known."""

    errors: Mapping[tuple[str, str], tuple[float, float]]
    """Standard error of each difference of costs, and its degrees of freedom."""

    @classmethod
    def of(cls, effects: Sequence[StartEffect]) -> "Model":
        """
        Fit the effects of starts.

        Residuals have variances by contestant, which are moderated by those of the
        others. Few contestants cannot tell how much their variances differ, so these
        are not moderated, and only a contestant with one start has that of the others.
        Those that vary by more than ``DEVIATION_MAX`` are left out.
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
            return cls.of([each for each in effects if each.name != widest])
        return cls(
            costs=dict(zip(fit.names, map(float, fit.effects), strict=True)),
            starts=starts,
            variance=variance,
            variances=variances,
            errors=_errors(fit, [name for name, _ in keys], variances, degrees),
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
) -> dict[tuple[str, str], tuple[float, float]]:
    """
    Return the standard error of each difference, if known, with degrees of freedom.

    ``rows`` are the contestants of the fitted values. The degrees are those of a sum of
    variances (F. E. Satterthwaite, An approximate distribution of estimates of variance
    components, 1946).
    """
    import numpy as np

    of_rows = np.asarray(rows)
    total = np.zeros((len(fit.names), len(fit.names)))
    uncertain = total.copy()
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
