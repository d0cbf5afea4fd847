"""What the speed of the cores adds to the costs in slices: analysis of covariance."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING

from autostrada.stats.least_squares import Fit
from autostrada.stats.slice_blocks import CostedSlice, disturbed_in, parts_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

SQUARES_MIN = 1e-9
"""Sum of squares of logarithms below which a speed did not change."""

SLOPE_DEVIATION = 0.5
"""Standard deviation between contestants of what the speed of the cores adds, as a
share of what it adds to all."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SpeedEffect:
    """What the speed of the cores adds to the costs of all slices."""

    share: float = 0.0
    """Share of the variance between slices that it explains."""

    bias: float = 0.0
    """
    Standard deviation of what subtracting it adds to a contestant's logarithmic cost.

    A contestant that fills the caches slows the timed loops, too, and is given back
    what is its own cost. It is the standard deviation between contestants of their
    speeds, beyond what chance explains, times what the speed adds to all costs.
    """


def without_speeds(
    slices_of_start: dict[int, list[CostedSlice]],
) -> tuple[SpeedEffect, dict[int, list[CostedSlice]]]:
    """Subtract what the speed of the cores adds to the costs of slices."""
    import numpy as np

    disturbed = disturbed_in(slices_of_start)
    parts = [
        part
        for found in slices_of_start.values()
        for part in parts_of([each for each in found if each not in disturbed])
    ]
    names = np.asarray([each.name for part in parts for each in part])
    costs = _deviations(parts, lambda each: each.log_cost)
    kinds = len(parts[0][0].log_speeds) if parts else 0
    every = [_deviations(parts, _speed_of(kind)) for kind in range(kinds)]
    # What hardly varies explains nothing.
    speeds = np.array(
        [each if each @ each > SQUARES_MIN else 0 * each for each in every]
    ).T
    if not speeds.any() or not costs.any():
        return SpeedEffect(), slices_of_start
    common = np.linalg.pinv(speeds) @ costs
    slopes = _slopes(names, costs, speeds, common)
    explained = np.array(
        [speed @ slopes[name] for name, speed in zip(names, speeds, strict=True)]
    )
    left = costs - explained
    variances = [_variance_of_contestants(parts, kind) for kind in range(kinds)]
    effect = SpeedEffect(
        share=1 - float(left @ left) / float(costs @ costs),
        bias=sqrt(float(common**2 @ variances)),
    )
    return effect, {
        start: [_corrected(each, slopes.get(each.name)) for each in found]
        for start, found in slices_of_start.items()
    }


def _variance_of_contestants(
    parts: Sequence[Sequence[CostedSlice]], kind: int
) -> float:
    """
    Return the variance of a speed between contestants, without that by chance.

    It has its standard error added: chance may hide as much, and too small a variance
    would separate equal contestants.
    """
    fit = Fit.of(
        [
            (each.name, (number, each.block), each.log_speeds[kind])
            for number, part in enumerate(parts)
            for each in part
        ]
    )
    degrees = len(fit.residuals) - fit.rank
    if degrees <= 0:
        return 0.0
    by_chance = float(fit.residuals @ fit.residuals) / degrees
    weights = fit.influence - fit.influence.mean(axis=0)
    squares = (fit.effects - fit.effects.mean()) ** 2
    excess = squares - by_chance * (weights**2).sum(axis=1)
    others = max(1, len(fit.names) - 1)
    uncertain = float(squares.sum()) / others * sqrt(2 / others)
    return max(0.0, float(excess.sum()) / others + uncertain)


def _speed_of(kind: int) -> Callable[[CostedSlice], float]:
    return lambda each: each.log_speeds[kind]


def _deviations(
    parts: Sequence[Sequence[CostedSlice]], value: Callable[[CostedSlice], float]
) -> "Array":
    """Return the deviations of values from what contestant and block predict."""
    import numpy as np

    fits = [
        Fit.of([(each.name, each.block, value(each)) for each in part])
        for part in parts
    ]
    return np.concatenate([np.zeros(0), *(fit.residuals for fit in fits)])


def _slopes(
    names: "NDArray[np.str_]", costs: "Array", speeds: "Array", common: "Array"
) -> dict[str, "Array"]:
    """
    Return how much speeds add to the costs of each contestant.

    An interpreter may suffer twice as much from a neighbour as the kernel does. Few
    slices hardly tell, so a contestant's coefficients are moderated by common ones, as
    if they differed by ``SLOPE_DEVIATION`` of these (ridge regression).
    """
    import numpy as np

    left = costs - speeds @ common
    variance = max(SQUARES_MIN, float(left @ left) / len(left))
    squares = np.maximum(SQUARES_MIN, (SLOPE_DEVIATION * common) ** 2)
    slopes = {}
    for name in dict.fromkeys(names):
        own = speeds[names == name]
        matrix = own.T @ own + np.diag(variance / squares)
        difference = np.linalg.solve(matrix, own.T @ left[names == name])
        slopes[str(name)] = common + difference
    return slopes


def _corrected(each: CostedSlice, slopes: "Array | None") -> CostedSlice:
    """Return a slice whose cost is that at the usual speed of the cores."""
    if slopes is None:
        return each
    added = sum(
        float(slope) * speed
        for slope, speed in zip(slopes, each.log_speeds, strict=True)
    )
    return replace(each, log_cost=each.log_cost - added)
