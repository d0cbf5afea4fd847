"""The schedule of a run with a budget: which trials its time is spent on."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
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


@dataclass(frozen=True, kw_only=True, slots=True)
class ScheduledCells:
    """The cells of a run, and what is known of them before it."""

    compared: Sequence[Cell]
    """Cells that claims and answers compare."""

    others: Sequence[Cell]
    workloads: Sequence[str]
    """Names of the points, the most important first."""

    dependent: Collection[str] = ()
    """Points that need what other cells of a round did: they come last in it."""

    preceding: Mapping[Cell, Sequence[Cell]] = field(default_factory=dict)
    """
    Cells that have to be measured in the same round, by those that need them; a cell of
    a contestant that the run does not have is not measured.
    """


class Schedule:
    """
    Chooses one round after the other; a round measures each of its cells once.

    The rounds are numbered, and a trial's repetition is the number of its round: what
    is compared within a round was measured within minutes. The order of the cells is
    random in every other round in which they are together, and reversed in the next.

    1. What claims compare is measured as often as the first look of a test needs.
    2. Comparisons that are undecided are measured again, those first that have the best
       chance of a decision a second, as long as the time for step 3 remains.
    3. Every other cell is measured once, for the tables. At most ``TABLES_SHARE`` of
       the time is kept for it.
    4. Comparisons that are still undecided are measured again.
    5. The cells for which step 3 had no time are measured once.
    6. What is left is too short for a decision: comparisons are measured for a run that
       continues this one.
    7. If there are none, every cell gets the planned number of repetitions, one
       workload after the other.
    """

    def __init__(
        self, cells: ScheduledCells, *, repetitions: int, seed: int, rounds: int = 0
    ) -> None:
        """Create the schedule of a run; ``rounds`` is the number of its first round."""
        self._cells = cells
        self._known = {*cells.compared, *cells.others}
        self._repetitions = repetitions
        self._seed = seed
        self._rounds = rounds
        self._tried: set[NextRound] = set()
        self._for_tables_s: float | None = None
        """Time that is kept for cells that only tables show; ``None`` before step 2."""

    def first(self, done: Set[Attempt], time: TimeLeft) -> list[Attempt]:
        """Return the next round that the first look needs; empty after it."""
        made = _made(done)
        few = [cell for cell in self._cells.compared if made[cell] < LOOKS[0]]
        return self._round(self._fitting(few, time), done)

    def further(
        self, done: Set[Attempt], time: TimeLeft, undecided: Sequence[NextRound]
    ) -> list[Attempt]:
        """Return the next round after those; empty if no time or no use is left."""
        made = _made(done)
        none = [other for other in self._cells.others if not made[other]]
        kept_s = self._kept_s(time, none)
        without_tables = replace(time, left_s=time.left_s - kept_s)
        cells = (
            self._best(undecided, without_tables)
            or self._of_tables(none, time, kept_s)
            or self._best(undecided, time)
            or self._fitting(none, time)
            or self._best(undecided, time, is_whole=False)
            or self._repeated(made, time)
        )
        return self._round(cells, done)

    def may_begin(
        self, attempts: Sequence[Attempt], done: Set[Attempt], time: TimeLeft
    ) -> bool:
        """
        Return whether attempts of a round may begin, which are made at the same time.

        They may if one of them ends in time, and if the trials that have to precede
        them in the round were made: there was no time for those otherwise.
        """
        before = {
            replace(attempt, cell=cell)
            for attempt in attempts
            for cell in self._preceding(attempt.cell)
        }
        shortest_s = min(time.expected_s(attempt.cell) for attempt in attempts)
        return before <= done and shortest_s <= time.left_s

    def _kept_s(self, time: TimeLeft, none: Sequence[Cell]) -> float:
        """Return the time that is kept for the cells without a trial."""
        total_s = self._round_s(none, time)
        if self._for_tables_s is None:
            self._for_tables_s = min(TABLES_SHARE * time.left_s, total_s)
        return min(self._for_tables_s, total_s)

    def _of_tables(
        self, none: Sequence[Cell], time: TimeLeft, kept_s: float
    ) -> Sequence[Cell]:
        """Return the cells of tables that fit into what is kept of the time."""
        cells = self._fitting(none, replace(time, left_s=min(kept_s, time.left_s)))
        self._for_tables_s = kept_s - self._round_s(cells, time)
        return cells

    def _best(
        self, undecided: Sequence[NextRound], time: TimeLeft, *, is_whole: bool = True
    ) -> Sequence[Cell]:
        """
        Return the cells of the comparison with the best chance of a decision a second.

        They are empty if there is none: if all its rounds until a decision have to fit
        (``is_whole``), or else one.
        """
        possible = [
            candidate
            for candidate in undecided
            if candidate.chance >= CHANCE_MIN
            and candidate not in self._tried
            and self._known.issuperset(candidate.cells)
            and (candidate.rounds if is_whole else 1)
            * self._round_s(candidate.cells, time)
            <= time.left_s
        ]
        if not possible:
            return ()
        found = max(
            possible,
            key=lambda candidate: (
                candidate.chance
                / (candidate.rounds * self._round_s(candidate.cells, time))
            ),
        )
        # Without a new trial that counts, its chance would stay the same for ever.
        self._tried.add(found)
        return found.cells

    def _fitting(self, cells: Sequence[Cell], time: TimeLeft) -> list[Cell]:
        """
        Return those of the cells, in order, whose trials end in time together.

        If not all do, they are the shortest ones, with the trials that precede them.
        """
        left_s, found = time.left_s, set[Cell]()
        for cell in sorted(cells, key=lambda cell: self._round_s([cell], time)):
            added = [one for one in self._with_preceding([cell]) if one not in found]
            added_s = time.total_s(added)
            if added_s <= left_s:
                left_s -= added_s
                found.update(added)
        return [cell for cell in cells if cell in found]

    def _round_s(self, cells: Sequence[Cell], time: TimeLeft) -> float:
        """Return the expected duration of a round of some cells."""
        return time.total_s(self._with_preceding(cells))

    def _with_preceding(self, cells: Sequence[Cell]) -> list[Cell]:
        """Return cells with those that have to be measured in the same round."""
        before = (each for cell in cells for each in self._preceding(cell))
        return list(dict.fromkeys((*cells, *before)))

    def _preceding(self, cell: Cell) -> list[Cell]:
        before = self._cells.preceding.get(cell, ())
        return [each for each in before if each in self._known]

    def _repeated(self, made: Counter[Cell], time: TimeLeft) -> list[Cell]:
        """Return the cells that need repetitions, those of one workload that fit."""
        few = sorted(
            (
                cell
                for cell in (*self._cells.compared, *self._cells.others)
                if made[cell] < self._repetitions
            ),
            key=lambda cell: (self._place(cell), made[cell]),
        )
        groups = groupby(few, key=lambda each: (self._place(each), made[each]))
        fitting = (self._fitting([*group], time) for _, group in groups)
        return next((cells for cells in fitting if cells), [])

    def _place(self, cell: Cell) -> int:
        return self._cells.workloads.index(cell.workload)

    def _round(self, cells: Sequence[Cell], done: Set[Attempt]) -> list[Attempt]:
        """Return a round of some cells, whose order is balanced over their rounds."""
        cells = self._with_preceding(cells)
        in_round = defaultdict(set)
        for attempt in done:
            in_round[attempt.repetition].add(attempt.cell)
        together = sum(of_round.issuperset(cells) for of_round in in_round.values())
        chance = random.Random(f"{self._seed} {sorted(cells)} {together // 2}")
        order = chance.sample(sorted(cells), k=len(cells))
        if together % 2:
            order.reverse()
        number = max([self._rounds, *(each + 1 for each in in_round)])
        return [
            Attempt(cell=cell, repetition=number)
            for cell in sorted(
                order, key=lambda each: each.workload in self._cells.dependent
            )
        ]


def _made(done: Set[Attempt]) -> Counter[Cell]:
    return Counter(attempt.cell for attempt in done)
