"""
Where a series of values changed: E-divisive means with a permutation test.

A segment is divided where the energy distance of both parts is largest, if few of its
permutations have one as large, and then each part likewise (N. A. James, D. S.
Matteson, ecp: an R package for nonparametric multiple change point analysis, 2014).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

VALUES_MIN = 8
"""Smallest number of values in which a change can be found: the halves of fewer are in
any order with a probability of more than ``ERROR_MAX``."""

PART_MIN = 3
"""Smallest number of values on each side of a change."""

ERROR_MAX = 0.05
"""Probability of a change in a segment without one."""

PERMUTATIONS = 999


def change_points(values: Sequence[float]) -> list[int]:
    """
    Return the indices of the values at which a new level begins, in order.

    The permutations are the same for the same number of values.
    """
    return _changes(np.asarray(values, dtype=float), 0)


def _changes(values: NDArray[np.float64], first: int) -> list[int]:
    if len(values) < VALUES_MIN:
        return []
    distances = np.abs(values[:, None] - values[None, :])
    found, at = _best_split(distances)
    random = np.random.default_rng(len(values))
    orders = (random.permutation(len(values)) for _ in range(PERMUTATIONS))
    as_large = sum(
        _best_split(distances[np.ix_(order, order)])[0] >= found for order in orders
    )
    if (1 + as_large) / (1 + PERMUTATIONS) > ERROR_MAX:
        return []
    return [
        *_changes(values[:at], first),
        first + at,
        *_changes(values[at:], first + at),
    ]


def _best_split(distances: NDArray[np.float64]) -> tuple[float, int]:
    """Return the largest energy distance of two parts, and the size of the first."""
    count = len(distances)
    sums = distances.cumsum(axis=0).cumsum(axis=1)
    sizes = np.arange(PART_MIN, count - PART_MIN + 1)
    others = count - sizes
    within = sums[sizes - 1, sizes - 1]
    between = sums[sizes - 1, -1] - within
    beyond = sums[-1, -1] - within - 2 * between
    energies = (
        2 * between / (sizes * others)
        - within / (sizes * (sizes - 1))
        - beyond / (others * (others - 1))
    ) * (sizes * others / count)
    best = int(np.argmax(energies))
    return float(energies[best]), int(sizes[best])
