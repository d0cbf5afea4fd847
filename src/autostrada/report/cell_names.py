"""How the cells of a comparison are named: by what tells them apart."""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from autostrada.experiment.matrix import REFERENCE, Cell

ENGINE = "engine"
PARTS = {"server": "from", "client": "to", "workload": "in"}
"""Of a cell, each with the word that stands before it in a sentence."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Places:
    """The names of the cells of one comparison, as a sentence about them needs them."""

    shared: str
    """What all have in common, with a space before it; ``""`` for nothing."""

    names: tuple[str, ...]
    """Of each cell in their order, what it does not share."""


def places(cells: Sequence[Cell]) -> Places:
    """
    Name cells by what differs, and once what does not.

    One cell alone has nothing in common with others: it is named as a whole. An engine
    that all share is part of the instrument, and is not named.
    """
    if len(set(cells)) == 1:
        return Places(shared="", names=tuple(_whole(cell) for cell in cells))
    first = cells[0]
    different = {
        part for part in PARTS if len({getattr(cell, part) for cell in cells}) > 1
    }
    shared = "".join(
        f" {word} {getattr(first, part)}"
        for part, word in PARTS.items()
        if part not in different and getattr(first, part) != REFERENCE
    )
    return Places(shared=shared, names=tuple(_named(cell, different) for cell in cells))


def _named(cell: Cell, different: Set[str]) -> str:
    """Name the parts of a cell that are different from those of another."""
    ends = [getattr(cell, end) for end in ("server", "client") if end in different]
    names = [" → ".join(ENGINE if end == REFERENCE else end for end in ends)]
    if "workload" in different:
        names.append(cell.workload)
    return " in ".join(filter(None, names))


def _whole(cell: Cell) -> str:
    """Name a cell by its ends as far as they are contestants, and its workload."""
    ends = [end for end in (cell.server, cell.client) if end != REFERENCE]
    return f"{' → '.join(ends or [ENGINE])} in {cell.workload}"
