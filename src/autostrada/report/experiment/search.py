"""What the searches of a run have found: the most that held, the least that did not."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from autostrada.plan.experiment import Experiment
from autostrada.plan.matrix import Cell
from autostrada.plan.workload import Search, point_name
from autostrada.report import number
from autostrada.report.experiment.sample import Sampled
from autostrada.report.query import ask
from autostrada.stats.claim.edge import edges_confidence
from autostrada.stats.interval import Interval
from autostrada.stats.search.steps import Bracket, Found, bracket, next_value
from autostrada.store.reader import Row, StoreReader


@dataclass(frozen=True, kw_only=True, slots=True)
class Searched:
    """One search: its cell has no value of what is searched for."""

    cell: Cell
    search: Search
    tried: Mapping[int, tuple[bool, ...]]
    """By value, the smallest first: whether all was well, for each trial in order."""

    @property
    def bracket(self) -> Bracket:
        """Between which values the knee lies."""
        return bracket(self.tried)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to be tried."""
        return isinstance(next_value(self.search, self.tried), Found)

    @property
    def most(self) -> Sampled | None:
        """
        The most at which all was well, up to the least above at which it was not.

        It is 0 where the first was too much, and has no upper bound where nothing was.
        """
        if not self.tried:
            return None
        edges = self.bracket
        well = edges.well or 0
        interval = Interval(
            median=well,
            low=well,
            high=inf if edges.unwell is None else edges.unwell,
            confidence=edges_confidence(
                self.tried.get(well, (True,) * self.search.repetitions),
                self.tried.get(edges.unwell or 0, (False,) * self.search.repetitions),
            ),
        )
        return Sampled(values=(well,), known=interval)

    def at(self, value: int) -> Cell:
        """Return the cell of one value."""
        parameters: dict[str, int | float] = {self.search.parameter: value}
        return replace(self.cell, workload=point_name(self.cell.workload, parameters))

    @property
    def sentence(self) -> str:
        """Say what was found."""
        edges, what = self.bracket, self.search.parameter
        if not self.tried:
            return "Nothing has been tried yet."
        if edges.well is None:
            found = f"All was not well even with {_counted(edges.unwell, what)}."
        elif edges.unwell is None:
            found = f"All was well up to {_counted(edges.well, what)}."
        else:
            found = (
                f"All was well with {_counted(edges.well, what)}, and not with "
                f"{number.plain(edges.unwell, 0)}."
            )
        if self.most and self.most.interval.confidence:
            sure = number.confidence(self.most.interval.confidence)
            found += f" That is sure to at least {sure}."
        return found if self.is_over else f"{found} The search is not over."


def read_searches(
    reader: StoreReader, run_id: int, experiment: Experiment, cells: Sequence[Cell]
) -> dict[Cell, Searched]:
    """Read what was tried by the searches among the cells of a run."""
    rows = ask(reader, "searches", run_id)
    points = experiment.points()
    searches = {cell: getattr(points[cell.workload], "search", None) for cell in cells}
    return {
        cell: Searched(cell=cell, search=search, tried=_tried(cell, search, rows))
        for cell, search in searches.items()
        if search
    }


def _tried(
    cell: Cell, search: Search, rows: Sequence[Row]
) -> dict[int, tuple[bool, ...]]:
    """Return what came of the trials of one search, the smallest value first."""
    tried: dict[int, list[bool]] = defaultdict(list)
    begin = f"{cell.workload} {search.parameter}="
    for row in rows:
        value = row["workload"].removeprefix(begin)
        if (
            (row["server"], row["client"]) == (cell.server, cell.client)
            and row["workload"].startswith(begin)
            and value.isdecimal()
        ):
            tried[int(value)].append(row["is_well"] == 1)
    return {value: tuple(tried[value]) for value in sorted(tried)}


def _counted(value: int | None, parameter: str) -> str:
    """Write how many of a parameter: 100 connections."""
    assert value is not None, "an edge that there is"
    return f"{number.plain(value, 0)} {parameter}"
