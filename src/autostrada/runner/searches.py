"""The capacity searches of a run: each makes one step a round until it has a result."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from autostrada.stats.search import (
    Outcomes,
    Search,
    SearchResult,
    Step,
    next_step,
    steps_left_max,
)
from autostrada.store.record import Attempt, Cell
from autostrada.workloads.workload import Workload


class Searches:
    """The state of all searches: the steps made, and the steps to make next."""

    def __init__(
        self,
        searched: Mapping[Cell, Workload],
        seed: int,
        tried: Mapping[Attempt, bool],
    ) -> None:
        """
        Start the searches, or resume them.

        ``searched`` maps the cell of each search (without a value) to its workload.
        ``tried`` has all attempts of a resumed run with whether they met the objective;
        other attempts are ignored.
        """
        self._searched = searched
        self._seed = seed
        self._rounds = 0
        self._outcomes: dict[Cell, dict[Attempt, bool]] = {
            cell: {} for cell in self._searched
        }
        self._steps: dict[Cell, tuple[Cell, Step]] = {}
        for attempt, meets_objective in tried.items():
            if self.owns(attempt.cell):
                self.note(attempt, meets_objective=meets_objective)

    def owns(self, cell: Cell) -> bool:
        """Whether a cell is a step of one of these searches."""
        return self._find(cell) is not None

    def workload(self, cell: Cell) -> Workload:
        """Return the workload of a step's cell."""
        found = self._find(cell)
        assert found is not None, cell
        searched, step = found
        return self._searched[searched].at_step(step)

    def note(
        self, attempt: Attempt, *, meets_objective: bool
    ) -> tuple[Cell, SearchResult] | None:
        """
        Record whether a trial met its objective; a retry replaces the earlier trial.

        Returns the cell and the result of a search that this trial finishes, otherwise
        ``None``.
        """
        found = self._find(attempt.cell)
        if found is None or attempt.is_warm_up:
            return None
        cell, _ = found
        self._outcomes[cell][attempt] = meets_objective
        step = self._next(cell)
        return (cell, step) if isinstance(step, SearchResult) else None

    def round(self) -> list[Attempt]:
        """Return the next attempt of each unfinished search, in a random order."""
        shuffle = random.Random(f"{self._seed} {self._rounds}")
        self._rounds += 1
        attempts = [
            self._attempt(cell, step)
            for cell in self._searched
            if isinstance(step := self._next(cell), Step)
        ]
        return shuffle.sample(attempts, k=len(attempts))

    def left_max(self) -> dict[Cell, list[Cell]]:
        """
        Return the cells of the most trials that each unfinished search still needs.

        The estimate assumes that outcomes do not vary.
        """
        return {
            cell: [
                self._cell_at(cell, step)
                for step in steps_left_max(self._search(cell), self._tried(cell))
            ]
            for cell in self._searched
            if isinstance(self._next(cell), Step)
        }

    def _next(self, cell: Cell) -> Step | SearchResult:
        return next_step(self._search(cell), self._tried(cell))

    def _search(self, cell: Cell) -> Search:
        search = self._searched[cell].capacity_search
        assert search is not None
        return search

    def _tried(self, cell: Cell) -> Outcomes:
        tried: dict[Step, list[bool]] = {}
        for attempt, meets_objective in self._outcomes[cell].items():
            tried.setdefault(self._steps[attempt.cell][1], []).append(meets_objective)
        return tried

    def _attempt(self, cell: Cell, step: Step) -> Attempt:
        point = self._cell_at(cell, step)
        made = sum(attempt.cell == point for attempt in self._outcomes[cell])
        return Attempt(cell=point, repetition=made, is_warm_up=False)

    def _cell_at(self, cell: Cell, step: Step) -> Cell:
        return replace(cell, workload=self._searched[cell].at_step(step).name)

    def _find(self, cell: Cell) -> tuple[Cell, Step] | None:
        """Return the search and the step that a cell stands for, ``None`` if none."""
        if cell not in self._steps:
            for searched, workload in self._searched.items():
                is_of_ends = cell == replace(searched, workload=cell.workload)
                if is_of_ends and (step := workload.step_of(cell.workload)):
                    self._steps[cell] = (searched, step)
        return self._steps.get(cell)


def searched_cells(
    cells: Sequence[Cell], points: Mapping[str, Workload]
) -> dict[Cell, Workload]:
    """Return the cells that are searches, with their workloads."""
    return {
        cell: points[cell.workload]
        for cell in cells
        if points[cell.workload].capacity_search
    }
