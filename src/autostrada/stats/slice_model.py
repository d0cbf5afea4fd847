"""
The model of costs in slices, fitted by least squares.

Within a start it is the sum of a contestant's effect and of that of a block of slices
that followed each other, and over starts the sum of a contestant's effect and of a
start's. Both may lack any values.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, log, nan, sqrt
from statistics import median
from typing import TYPE_CHECKING, TypeVar

from autostrada.stats.prior import DEVIATION_MIN, Prior, moderated, prior_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Block = TypeVar("Block")
"""What has an effect on all contestants: a block of slices, or a start."""

Slices = Mapping[str, Mapping[int, Mapping[int, float]]]
"""Cost of a message, positive: by contestant, start, and instant in it in ns."""

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


@dataclass(frozen=True, kw_only=True, slots=True)
class _Slice:
    name: str
    start: int
    at_ns: int
    log_cost: float
    block: int = 0
    """Number of the block in its start."""

    @property
    def row(self) -> tuple[str, int, float]:
        """Contestant, block and value."""
        return self.name, self.block, self.log_cost


def starts_of(values: Slices) -> tuple[list[StartEffect], WithinStarts]:
    """Return the effects of each contestant in each start, by least squares."""
    slices_of_start = _slices_of_starts(values)
    disturbed = _disturbed(slices_of_start)
    effects, squares, degrees = [], 0.0, 0
    slices: Counter[tuple[str, int]] = Counter()
    for start, found in slices_of_start.items():
        kept = [each for each in found if each not in disturbed]
        pairs = dict.fromkeys((each.name, each.block) for each in kept)
        for part, keys in enumerate(_connected(pairs)):
            connected = [each.row for each in kept if (each.name, each.block) in keys]
            fit = _Fit.of(connected)
            squares += float((fit.residuals**2).sum())
            degrees += len(connected) - fit.rank
            effects += [
                StartEffect(name=name, start=(start, part), value=float(value))
                for name, value in zip(fit.names, fit.effects, strict=True)
            ]
            slices.update((name, start) for name, _, _ in connected)
    variance = squares / degrees if degrees else nan
    inverse = [1 / count for count in slices.values()]
    mean = sum(inverse) / len(inverse) if inverse else nan
    return effects, WithinStarts(
        variance=variance,
        rounds=max(slices.values(), default=0),
        share_of_start=variance * mean if degrees else 0.0,
        disturbed=len(disturbed),
    )


def _slices_of_starts(values: Slices) -> dict[int, list[_Slice]]:
    """Return the slices of each start in the order of their instants."""
    by_start: dict[int, list[_Slice]] = defaultdict(list)
    for name, starts in values.items():
        for start, by_instant in starts.items():
            by_start[start] += [
                _Slice(name=name, start=start, at_ns=at_ns, log_cost=log(cost))
                for at_ns, cost in by_instant.items()
            ]
    return {start: _in_blocks(found) for start, found in by_start.items()}


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
        if size >= len(found) or len(_connected(pairs)) == 1:
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


def _connected(
    pairs: Iterable[tuple[str, Block]],
) -> list[list[tuple[str, Block]]]:
    """Divide pairs of a contestant and a block into parts with no block in common."""
    parts: list[list[tuple[str, Block]]] = []
    for pair in pairs:
        joined = [part for part in parts if any(_touches(pair, each) for each in part)]
        parts = [part for part in parts if part not in joined]
        parts.append([each for part in joined for each in part] + [pair])
    return sorted(parts, key=lambda part: -len(part))


def _touches(one: tuple[str, Block], other: tuple[str, Block]) -> bool:
    return one[0] == other[0] or one[1] == other[1]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Fit:
    """Least squares of a sum of two effects, that of a contestant and of a block."""

    names: list[str]
    effects: "Array"
    """Effects of the contestants, less a constant."""

    influence: "Array"
    """Weight of each value in each effect: a row a contestant."""

    leverages: "Array"
    """Share of each value in its own prediction."""

    residuals: "Array"
    rank: int

    @classmethod
    def of(cls, rows: Sequence[tuple[str, Block, float]]) -> "_Fit":
        """Fit values of a contestant in a block, all connected by common blocks."""
        import numpy as np

        names = list(dict.fromkeys(name for name, _, _ in rows))
        blocks = list(dict.fromkeys(block for _, block, _ in rows))
        design = np.zeros((len(rows), len(names) + len(blocks)))
        for row, (name, block, _) in enumerate(rows):
            design[row, names.index(name)] = 1
            design[row, len(names) + blocks.index(block)] = 1
        values = np.asarray([value for _, _, value in rows])
        inverse = np.linalg.pinv(design).astype(np.float64)
        effects = inverse @ values
        return cls(
            names=names,
            effects=effects[: len(names)],
            influence=inverse[: len(names)],
            leverages=np.einsum("ij,ji->i", design, inverse),
            residuals=values - design @ effects,
            rank=len(names) + len(blocks) - 1,
        )


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
        keys = _connected(found)[0]
        fit = _Fit.of([(*key, found[key]) for key in keys])
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
    fit: _Fit,
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
