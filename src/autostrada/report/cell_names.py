"""Short names of the cells of a comparison: only the parts in which they differ."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import starmap

from autostrada.experiment.matrix import REFERENCE, Cell

ENGINE = "engine"
PARTS = {"server": "from", "client": "to", "workload": "in"}
"""The parts of a cell, each with its preposition in a sentence."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CellLabels:
    """The names of the cells of one comparison, for use in a sentence."""

    shared: str
    """Parts that all cells share, with a leading space; ``""`` if there are none."""

    names: tuple[str, ...]
    """For each cell, in the order given, the parts in which it differs."""


NO_NAMES: Mapping[str, str] = {}


def cell_names(
    cells: Sequence[Cell], names: Mapping[str, str] = NO_NAMES
) -> CellLabels:
    """
    Name cells by the parts in which they differ; parts that all share are named once.

    A single cell is named in full. An engine that all cells share is part of the
    instrument and is not named. ``names`` are other names for contestants and
    workloads, such as those of a publication.
    """
    if len(set(cells)) == 1:
        return CellLabels(
            shared="", names=tuple(cell_name(cell, names) for cell in cells)
        )
    first = cells[0]
    different = {
        part for part in PARTS if len({getattr(cell, part) for cell in cells}) > 1
    }
    shared = "".join(
        f" {word} {_part(first, part, names)}"
        for part, word in PARTS.items()
        if part not in different and getattr(first, part) != REFERENCE
    )
    return CellLabels(
        shared=shared, names=tuple(_named(cell, different, names) for cell in cells)
    )


def _named(cell: Cell, different: Set[str], names: Mapping[str, str]) -> str:
    """Name the given parts of a cell."""
    ends = [
        ENGINE if getattr(cell, end) == REFERENCE else _part(cell, end, names)
        for end in ("server", "client")
        if end in different
    ]
    named = [" → ".join(dict.fromkeys(ends))]
    if "workload" in different:
        named.append(_part(cell, "workload", names))
    return " in ".join(filter(None, named))


def cell_name(cell: Cell, names: Mapping[str, str] = NO_NAMES) -> str:
    """Name a single cell by its contestants (else the engine) and its workload."""
    ends = [
        _part(cell, end, names)
        for end in ("server", "client")
        if getattr(cell, end) != REFERENCE
    ]
    contestants = " → ".join(dict.fromkeys(ends or [ENGINE]))
    return f"{contestants} in {_part(cell, 'workload', names)}"


def _part(cell: Cell, part: str, names: Mapping[str, str]) -> str:
    """
    Name a server, a client or a workload.

    The parameters of a workload that has another name follow it as ``3 processes``.
    """
    named: str = getattr(cell, part)
    if part != "workload":
        return names.get(named, named)
    point = cell.point
    if point.workload not in names:
        return named
    counted = starmap(_counted, point.parameters.items())
    return ", ".join([names[point.workload], *counted])


def _counted(key: str, value: str) -> str:
    """Name the value of a parameter: 10 of ``stocks`` is ``10 stocks``."""
    noun = key.replace("_", " ")
    if value == "1":
        noun = noun.removesuffix("es" if noun.endswith("ses") else "s")
    return f"{value} {noun}"
