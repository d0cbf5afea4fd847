"""Short names of the cells of a comparison: only the parts in which they differ."""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from autostrada.experiment.matrix import REFERENCE, Cell

ENGINE = "engine"
PARTS = {"server": "from", "client": "to", "workload": "in"}
"""The parts of a cell, each with its preposition in a sentence."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CellNames:
    """The names of the cells of one comparison, for use in a sentence."""

    shared: str
    """Parts that all cells share, with a leading space; ``""`` if there are none."""

    names: tuple[str, ...]
    """For each cell, in the order given, the parts in which it differs."""


def cell_names(cells: Sequence[Cell]) -> CellNames:
    """
    Name cells by the parts in which they differ; parts that all share are named once.

    A single cell is named in full. An engine that all cells share is part of the
    instrument and is not named.
    """
    if len(set(cells)) == 1:
        return CellNames(shared="", names=tuple(_whole(cell) for cell in cells))
    first = cells[0]
    different = {
        part for part in PARTS if len({getattr(cell, part) for cell in cells}) > 1
    }
    shared = "".join(
        f" {word} {getattr(first, part)}"
        for part, word in PARTS.items()
        if part not in different and getattr(first, part) != REFERENCE
    )
    return CellNames(
        shared=shared, names=tuple(_named(cell, different) for cell in cells)
    )


def _named(cell: Cell, different: Set[str]) -> str:
    """Name the given parts of a cell."""
    ends = [getattr(cell, end) for end in ("server", "client") if end in different]
    names = [" → ".join(ENGINE if end == REFERENCE else end for end in ends)]
    if "workload" in different:
        names.append(cell.workload)
    return " in ".join(filter(None, names))


def _whole(cell: Cell) -> str:
    """Name a cell by its contestants (else the engine) and its workload."""
    ends = [end for end in (cell.server, cell.client) if end != REFERENCE]
    return f"{' → '.join(ends or [ENGINE])} in {cell.workload}"
