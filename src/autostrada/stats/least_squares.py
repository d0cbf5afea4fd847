"""Least squares of a sum of two effects, of which any combinations may be missing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Block = TypeVar("Block")
"""What has an effect on all contestants: a block of slices, or a start."""


def connected(
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
class Fit:
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
    def of(cls, rows: Sequence[tuple[str, Block, float]]) -> "Fit":
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
