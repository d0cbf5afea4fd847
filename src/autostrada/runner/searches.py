"""
The capacity searches of a run: each tries one value per round until it has a result.

A workload that follows a search (``capacity_of``) is run afterwards, with the number of
connections that the search has found.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from autostrada.stats.search import Search, SearchResult, next_value, values_left_max
from autostrada.store.record import Attempt, Cell
from autostrada.workloads.workload import Workload, point_name


class Searches:
    """The state of all searches: the values tried, and the values to try next."""

    def __init__(
        self,
        searched: Mapping[Cell, Workload],
        seed: int,
        tried: Mapping[Attempt, bool],
    ) -> None:
        """
        Start the searches, or resume them.

        ``searched`` maps the cell of each search (without a value), and of each
        workload that follows one, to its workload. ``tried`` has all attempts of a
        resumed run with whether they met the objective; other attempts are ignored.
        """
        self._searched, self._following = _divided(searched)
        self._followed: set[Cell] = set()
        self._seed = seed
        self._rounds = 0
        self._outcomes: dict[Cell, dict[Attempt, bool]] = {
            cell: {} for cell in self._searched
        }
        self._values: dict[Cell, tuple[Cell, int]] = {}
        for attempt, meets_objective in tried.items():
            if self.owns(attempt.cell):
                self.note(attempt, meets_objective=meets_objective)

    def owns(self, cell: Cell) -> bool:
        """Whether a cell is a value of one of these searches, or follows one."""
        return cell in self._following or self._find(cell) is not None

    def workload(self, cell: Cell) -> Workload:
        """Return the workload of a value's cell, or of one that follows a search."""
        if cell in self._following:
            return self._at_found(cell)
        found = self._find(cell)
        assert found is not None, cell
        searched, value = found
        return self._at(searched, value)

    def note(
        self, attempt: Attempt, *, meets_objective: bool
    ) -> tuple[Cell, SearchResult] | None:
        """
        Record whether a trial met its objective; a retry replaces the earlier trial.

        Returns the cell and the result of a search that this trial finishes, otherwise
        ``None``.
        """
        if attempt.cell in self._following:
            self._followed.add(attempt.cell)
            return None
        found = self._find(attempt.cell)
        if found is None or attempt.is_warm_up:
            return None
        cell, _ = found
        self._outcomes[cell][attempt] = meets_objective
        step = self._step(cell)
        return (cell, step) if isinstance(step, SearchResult) else None

    def round(self) -> list[Attempt]:
        """Return the next attempt of each unfinished search, in a random order."""
        shuffle = random.Random(f"{self._seed} {self._rounds}")
        self._rounds += 1
        attempts = [
            self._attempt(cell, step)
            for cell in self._searched
            if isinstance(step := self._step(cell), int)
        ]
        attempts += [
            Attempt(cell=cell, repetition=0, is_warm_up=False)
            for cell in self._following
            if cell not in self._followed and self._found_for(cell) is not None
        ]
        return shuffle.sample(attempts, k=len(attempts))

    def left_max(self) -> dict[Cell, list[Cell]]:
        """
        Return the cells of the most trials that each unfinished search still needs.

        The estimate assumes that outcomes do not vary. A workload that follows a search
        is included until the search ends without a result.
        """
        left = {
            cell: [self._cell_at(cell, value) for value in self._values_left_max(cell)]
            for cell in self._searched
            if isinstance(self._step(cell), int)
        }
        for cell in self._following:
            is_open = self._source(cell) in left or self._found_for(cell) is not None
            if is_open and cell not in self._followed:
                left[cell] = [cell]
        return left

    def _source(self, cell: Cell) -> Cell:
        """Return the cell of the search that a cell follows."""
        name = self._following[cell].capacity_of
        assert name is not None
        return replace(cell, workload=name)

    def _found_for(self, cell: Cell) -> int | None:
        """Return the capacity for a cell that follows a search, ``None`` if unknown."""
        source = self._source(cell)
        step = self._step(source) if source in self._searched else None
        return step.bracket.met if isinstance(step, SearchResult) else None

    def _at_found(self, cell: Cell) -> Workload:
        """
        Return the workload of a cell that follows a search, at the capacity found.

        Before the search has ended, it is at the search's largest value.
        """
        found = self._found_for(cell)
        if found is None:
            found = self._search(self._source(cell)).last
        return self._following[cell].model_copy(update={"connections": found})

    def _step(self, cell: Cell) -> int | SearchResult:
        return next_value(self._search(cell), self._tried(cell))

    def _values_left_max(self, cell: Cell) -> list[int]:
        return values_left_max(self._search(cell), self._tried(cell))

    def _search(self, cell: Cell) -> Search:
        search = self._searched[cell].capacity_search
        assert search is not None
        return search

    def _tried(self, cell: Cell) -> dict[int, list[bool]]:
        tried: dict[int, list[bool]] = {}
        for attempt, meets_objective in self._outcomes[cell].items():
            tried.setdefault(self._values[attempt.cell][1], []).append(meets_objective)
        return tried

    def _attempt(self, cell: Cell, value: int) -> Attempt:
        point = self._cell_at(cell, value)
        made = sum(attempt.cell == point for attempt in self._outcomes[cell])
        return Attempt(cell=point, repetition=made, is_warm_up=False)

    def _cell_at(self, cell: Cell, value: int) -> Cell:
        return replace(cell, workload=self._at(cell, value).name)

    def _at(self, cell: Cell, value: int) -> Workload:
        return self._searched[cell].at({self._search(cell).parameter: value})

    def _find(self, cell: Cell) -> tuple[Cell, int] | None:
        """Return the search and the value that a cell stands for, ``None`` if none."""
        if cell not in self._values:
            name, _, last = cell.workload.rpartition(" ")
            searched = replace(cell, workload=name)
            workload = self._searched.get(searched)
            search = workload.capacity_search if workload else None
            key, _, value = last.partition("=")
            if search is None or key != search.parameter or not value.isdecimal():
                return None
            assert cell.workload == point_name(name, {key: int(value)})
            self._values[cell] = (searched, int(value))
        return self._values[cell]


def searched_cells(
    cells: Sequence[Cell], points: Mapping[str, Workload]
) -> dict[Cell, Workload]:
    """Return the cells that are or follow searches, with their workloads."""
    return {
        cell: points[cell.workload]
        for cell in cells
        if points[cell.workload].capacity_search or points[cell.workload].capacity_of
    }


def _divided(
    searched: Mapping[Cell, Workload],
) -> tuple[dict[Cell, Workload], dict[Cell, Workload]]:
    """Divide cells into searches and cells that follow one."""
    searches = {
        cell: workload
        for cell, workload in searched.items()
        if workload.capacity_search
    }
    following = {
        cell: workload for cell, workload in searched.items() if cell not in searches
    }
    return searches, following
