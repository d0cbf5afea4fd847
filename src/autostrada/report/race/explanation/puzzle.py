"""What is odd in the figures that others published, found in these figures alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from autostrada.experiment.experiment import Published

ODD_MIN = 2.0
"""A smaller factor is no puzzle: libraries and machines differ by that."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Puzzle:
    """A contestant that was far from the middle of the others in a table."""

    contestant: str
    kind: Literal["fast", "slow"]
    factor: float
    """How far, above 1: from the median of the others."""

    table: Published


def puzzles(tables: Sequence[Published]) -> tuple[Puzzle, ...]:
    """
    Return what is odd: the winner that is far ahead, and who was so slow but once.

    Of the tables, the one is taken in which it is the furthest. Who is slow in all
    tables is no puzzle: somebody has to be.
    """
    return tuple(filter(None, (_winner(tables), _slow_but_once(tables))))


def question(puzzle: Puzzle) -> str:
    """Return what is to be explained, as a question."""
    done = "win" if puzzle.kind == "fast" else "lose"
    return (
        f"Why did {puzzle.contestant} {done} by a factor of {puzzle.factor:.1f} over "
        f"the median of the others ({puzzle.table.title})?"
    )


def _winner(tables: Sequence[Published]) -> Puzzle | None:
    found = [
        Puzzle(
            contestant=first,
            kind="fast",
            factor=1 / _to_others(table, first),
            table=table,
        )
        for table in tables
        if len(table.milliseconds) > 1
        for first in [min(table.milliseconds, key=table.milliseconds.__getitem__)]
    ]
    return _oddest(found)


def _slow_but_once(tables: Sequence[Published]) -> Puzzle | None:
    found = []
    for table in tables:
        for name in table.milliseconds:
            elsewhere = [
                _to_others(other, name)
                for other in tables
                if other is not table and name in other.milliseconds
            ]
            if elsewhere and max(elsewhere) < ODD_MIN:
                found.append(
                    Puzzle(
                        contestant=name,
                        kind="slow",
                        factor=_to_others(table, name),
                        table=table,
                    )
                )
    return _oddest(found)


def _to_others(table: Published, name: str) -> float:
    """Return how long one took, by the median of the others of its table."""
    others = [ms for other, ms in table.milliseconds.items() if other != name]
    return table.milliseconds[name] / median(others)


def _oddest(found: Sequence[Puzzle]) -> Puzzle | None:
    odd = [puzzle for puzzle in found if puzzle.factor >= ODD_MIN]
    return max(odd, key=lambda puzzle: puzzle.factor, default=None)
