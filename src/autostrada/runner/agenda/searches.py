"""The searches of a run: each tries one value in a round, until it has found."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from autostrada.plan.matrix import Attempt, Cell
from autostrada.plan.workload import Workload, point_name
from autostrada.runner.search import search_of
from autostrada.stats.search.steps import Found, next_value, trials_max


class Searches:
    """Which values have been tried in which searches, and what is tried next."""

    def __init__(
        self,
        searched: Mapping[Cell, Workload],
        seed: int,
        tried: Mapping[Attempt, bool],
    ) -> None:
        """
        Begin searches, or go on with them.

        ``searched`` has the cell of each search, without a value, and its workload;
        ``tried`` what came of trials that were made earlier, whatever they were of.
        """
        self._searched = dict(searched)
        self._seed = seed
        self._rounds = 0
        self._outcomes: dict[Cell, dict[Attempt, bool]] = {
            cell: {} for cell in self._searched
        }
        self._values: dict[Cell, tuple[Cell, int]] = {}
        for attempt, is_well in tried.items():
            if self.owns(attempt.cell):
                self.note(attempt, is_well=is_well)

    def owns(self, cell: Cell) -> bool:
        """Whether a cell is a value of one of these searches."""
        return self._find(cell) is not None

    def workload(self, cell: Cell) -> Workload:
        """Return the workload of a value's cell."""
        found = self._find(cell)
        assert found is not None, cell
        searched, value = found
        return self._at(searched, value)

    def note(self, attempt: Attempt, *, is_well: bool) -> tuple[Cell, Found] | None:
        """
        Take note of what came of a trial; the latest of an attempt counts.

        Returns the search that is over with it, and what it has found.
        """
        found = self._find(attempt.cell)
        if found is None or attempt.is_warm_up:
            return None
        cell, _ = found
        self._outcomes[cell][attempt] = is_well
        step = self._step(cell)
        return (cell, step) if isinstance(step, Found) else None

    def round(self) -> list[Attempt]:
        """Return the next attempt of each search that is not over, in a drawn order."""
        shuffle = random.Random(f"{self._seed} {self._rounds}")
        self._rounds += 1
        attempts = [
            self._attempt(cell, step)
            for cell in self._searched
            if isinstance(step := self._step(cell), int)
        ]
        return shuffle.sample(attempts, k=len(attempts))

    def left_max(self) -> dict[Cell, int]:
        """Return how many trials each search takes from here on, but for chance."""
        return {
            cell: max(1, self._trials_max(cell) - len(self._outcomes[cell]))
            for cell in self._searched
            if isinstance(self._step(cell), int)
        }

    def _step(self, cell: Cell) -> int | Found:
        search = search_of(self._searched[cell])
        assert search is not None
        return next_value(search, self._tried(cell))

    def _trials_max(self, cell: Cell) -> int:
        search = search_of(self._searched[cell])
        assert search is not None
        return trials_max(search)

    def _tried(self, cell: Cell) -> dict[int, list[bool]]:
        tried: dict[int, list[bool]] = {}
        for attempt, is_well in self._outcomes[cell].items():
            tried.setdefault(self._values[attempt.cell][1], []).append(is_well)
        return tried

    def _attempt(self, cell: Cell, value: int) -> Attempt:
        point = replace(cell, workload=self._at(cell, value).name)
        made = sum(attempt.cell == point for attempt in self._outcomes[cell])
        return Attempt(cell=point, repetition=made, is_warm_up=False)

    def _at(self, cell: Cell, value: int) -> Workload:
        search = search_of(self._searched[cell])
        assert search is not None
        return self._searched[cell].at({search.parameter: value})

    def _find(self, cell: Cell) -> tuple[Cell, int] | None:
        """Return the search that a cell is a value of, and the value."""
        if cell not in self._values:
            name, _, last = cell.workload.rpartition(" ")
            searched = replace(cell, workload=name)
            workload = self._searched.get(searched)
            search = search_of(workload) if workload else None
            key, _, value = last.partition("=")
            if search is None or key != search.parameter or not value.isdecimal():
                return None
            assert cell.workload == point_name(name, {key: int(value)})
            self._values[cell] = (searched, int(value))
        return self._values[cell]


def searched_cells(
    cells: Sequence[Cell], points: Mapping[str, Workload]
) -> dict[Cell, Workload]:
    """Return those cells that are searches, with their workloads."""
    return {
        cell: points[cell.workload]
        for cell in cells
        if search_of(points[cell.workload]) is not None
    }
