"""The schedule of a run with a budget: which trials its time is spent on."""

import random
from collections import Counter
from collections.abc import Callable, Collection, Sequence, Set
from dataclasses import dataclass, replace
from itertools import groupby

from autostrada.experiment.next_round import NextRound
from autostrada.stats.sequential import LOOKS
from autostrada.store.record import Attempt, Cell

CHANCE_MIN = 0.05
"""Smallest chance of a decision for which further rounds are made."""

TABLES_SHARE = 1 / 3
"""Largest share of the time after the first look that is kept for cells that no
undecided comparison needs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TimeLeft:
    """The time that is left of a budget, and what trials are expected to take."""

    left_s: float
    expected_s: Callable[[Cell], float]
    """Expected duration of a trial of a cell, with all that belongs to it."""

    def total_s(self, cells: Sequence[Cell]) -> float:
        """Return the expected duration of a trial of each of these cells."""
        return sum(map(self.expected_s, cells))

    def fitting(self, cells: Sequence[Cell]) -> list[Cell]:
        """
        Return those of the cells, in order, whose trials end in time together.

        If not all do, they are the shortest ones.
        """
        left_s, found = self.left_s, set()
        for cell in sorted(cells, key=self.expected_s):
            left_s -= self.expected_s(cell)
            if left_s >= 0:
                found.add(cell)
        return [cell for cell in cells if cell in found]


class Schedule:
    """
    Chooses one round after the other; a round measures each of its cells once.

    The rounds are numbered, and a trial's repetition is the number of its round: what
    is compared within a round was measured within minutes. The order of the cells
    alternates from one round to the next.

    1. What claims compare is measured as often as the first look of a test needs.
    2. Comparisons that are undecided are measured again, those first that have the best
       chance of a decision a second, as long as the time for step 3 remains.
    3. Every other cell is measured once, for the tables. At most ``TABLES_SHARE`` of
       the time is kept for it.
    4. Comparisons that are still undecided are measured again.
    5. If time is left, every cell gets the planned number of repetitions, one workload
       after the other.
    """

    def __init__(
        self,
        compared: Sequence[Cell],
        others: Sequence[Cell],
        *,
        workloads: Sequence[str],
        dependent: Collection[str] = (),
        repetitions: int,
        seed: int,
    ) -> None:
        """
        Create the schedule of a run.

        ``compared`` are the cells that claims and answers compare, ``others`` all other
        cells, and ``workloads`` the names of their points, the most important first.
        ``dependent`` are the points whose load another one's rate decides: they come
        last in a round.
        """
        self._compared = compared
        self._others = others
        self._workloads = workloads
        self._dependent = dependent
        self._repetitions = repetitions
        self._seed = seed
        self._tried: set[NextRound] = set()
        self._for_tables_s: float | None = None
        """Time that is kept for cells that only tables show; ``None`` before step 2."""

    def first(self, done: Set[Attempt], time: TimeLeft) -> list[Attempt]:
        """Return the next round that the first look needs; empty after it."""
        made = _made(done)
        number = _number(done)
        few = [cell for cell in self._compared if made[cell] < LOOKS[0]]
        return _round(time.fitting(_alternating(few, number)), number)

    def further(
        self, done: Set[Attempt], time: TimeLeft, undecided: Sequence[NextRound]
    ) -> list[Attempt]:
        """Return the next round after those; empty if no time or no use is left."""
        made = _made(done)
        none = [other for other in self._others if not made[other]]
        if todo := self._round_of(undecided, done, self._without_tables(time, none)):
            return todo
        number = _number(done)
        if cells := time.fitting(self._shuffled(none, number)):
            return _round(cells, number)
        if todo := self._round_of(undecided, done, time):
            return todo
        few = sorted(
            (
                cell
                for cell in (*self._compared, *self._others)
                if made[cell] < self._repetitions
            ),
            key=lambda cell: (self._place(cell), made[cell]),
        )
        for _, group in groupby(few, key=lambda each: (self._place(each), made[each])):
            if cells := time.fitting(self._shuffled([*group], number)):
                return _round(cells, number)
        return []

    def _without_tables(self, time: TimeLeft, none: Sequence[Cell]) -> TimeLeft:
        """Return the time left, less what is kept for the cells without a trial."""
        if self._for_tables_s is None:
            most_s = TABLES_SHARE * time.left_s
            self._for_tables_s = min(most_s, time.total_s(none))
        kept_s = min(self._for_tables_s, time.total_s(none))
        return replace(time, left_s=time.left_s - kept_s)

    def _round_of(
        self, undecided: Sequence[NextRound], done: Set[Attempt], time: TimeLeft
    ) -> list[Attempt]:
        """Return the best round of a comparison; empty if none fits."""
        found = self._best(undecided, time)
        if found is None:
            return []
        # Without a new trial that counts, the chance would stay the same for ever.
        self._tried.add(found)
        number = _number(done)
        return _round(_alternating(found.cells, number), number)

    def _best(self, undecided: Sequence[NextRound], time: TimeLeft) -> NextRound | None:
        """Return the round with the best chance a second; ``None`` if none fits."""
        known = {*self._compared, *self._others}
        possible = [
            candidate
            for candidate in undecided
            if candidate.chance >= CHANCE_MIN
            and candidate not in self._tried
            and known.issuperset(candidate.cells)
            and candidate.rounds * time.total_s(candidate.cells) <= time.left_s
        ]
        return max(
            possible,
            key=lambda each: each.chance / (each.rounds * time.total_s(each.cells)),
            default=None,
        )

    def _place(self, cell: Cell) -> int:
        return self._workloads.index(cell.workload)

    def _shuffled(self, cells: Sequence[Cell], number: int) -> list[Cell]:
        shuffle = random.Random(f"{self._seed} {number}")
        shuffled = shuffle.sample(sorted(cells), k=len(cells))
        return sorted(shuffled, key=lambda cell: cell.workload in self._dependent)


def _alternating(cells: Sequence[Cell], number: int) -> list[Cell]:
    return list(reversed(cells)) if number % 2 else list(cells)


def _round(cells: Sequence[Cell], number: int) -> list[Attempt]:
    return [Attempt(cell=cell, repetition=number) for cell in cells]


def _made(done: Set[Attempt]) -> Counter[Cell]:
    return Counter(attempt.cell for attempt in done)


def _number(done: Set[Attempt]) -> int:
    """Return the number of the next round, from 0."""
    return max((attempt.repetition for attempt in done), default=-1) + 1
