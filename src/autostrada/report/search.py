"""What the searches of a run have found: the capacity, and the lowest violation."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from autostrada.experiment.experiment import Experiment
from autostrada.experiment.matrix import Cell
from autostrada.report import number
from autostrada.report.query import ask
from autostrada.report.samples import Sampled
from autostrada.stats.confidence import edges_confidence
from autostrada.stats.interval import Interval
from autostrada.stats.search import Bracket, Found, Search, bracket, next_value
from autostrada.store.reader import Row, StoreReader
from autostrada.workloads.workload import point_name

DOUBT = "too few trials at the edges of a search agree"
"""Why what was found is not established, where the edges have no confidence."""

ESTABLISHED_MIN = 0.75
"""What three trials that agree at either edge attain: less is not established."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Searched:
    """One search: its cell has no value of what is searched for."""

    cell: Cell
    search: Search
    tried: Mapping[int, tuple[bool, ...]]
    """By value, the smallest first: whether it met the objective, for each trial."""

    processes: int = 1
    """Of clients: a value is of each of them, what is shown of all together."""

    reasons: Mapping[int, str] = field(default_factory=dict)
    """By value: the violation of the first of its trials that had one, in words."""

    @property
    def bracket(self) -> Bracket:
        """Between which values the capacity lies."""
        return bracket(self.tried)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to be tried."""
        return isinstance(next_value(self.search, self.tried), Found)

    @property
    def most(self) -> Sampled | None:
        """
        The capacity, up to the lowest value above with a violation.

        It is 0 where the first was too much, and has no upper bound where nothing was.
        """
        if not self.tried:
            return None
        edges = self.bracket
        met = edges.met or 0
        interval = Interval(
            median=met * self.processes,
            low=met * self.processes,
            high=inf if edges.violated is None else edges.violated * self.processes,
            confidence=edges_confidence(
                self.tried.get(met, (True,) * self.search.repetitions),
                self.tried.get(edges.violated or 0, (False,) * self.search.repetitions),
            ),
        )
        return Sampled(values=(met * self.processes,), known=interval, doubt=DOUBT)

    def at(self, value: int) -> Cell:
        """Return the cell of one value."""
        parameters: dict[str, int | float] = {self.search.parameter: value}
        return replace(self.cell, workload=point_name(self.cell.workload, parameters))

    def of_all(self, value: int) -> int:
        """Return what a value of each process is of all together."""
        return value * self.processes

    @property
    def sharing(self) -> str:
        """Say how many processes share what is found; ``""`` where there is but one."""
        if self.processes == 1:
            return ""
        return f"{number.plain(self.processes, 0)} client processes share them evenly."

    @property
    def sentence(self) -> str:
        """Say what was found."""
        edges, what = self.bracket, self.search.parameter
        if not self.tried:
            return "Not tested yet."
        if edges.met is None:
            found = f"Not met even with {self._written(edges.violated)} {what}."
        elif edges.violated is None:
            found = f"Met up to {self._written(edges.met)} {what}."
        else:
            found = (
                f"Met with {self._written(edges.met)} {what}, and not with "
                f"{self._written(edges.violated)}."
            )
        if self.sharing:
            found += f" {self.sharing}"
        if reason := self.reasons.get(edges.violated or 0):
            found += f" Failed at {self._written(edges.violated)}: {reason}."
        if self.most and self.is_over:
            found += f" {_established(self.most.interval.confidence)}."
        found = f"The objective was {found[0].lower()}{found[1:]}"
        return found if self.is_over else f"{found} The search is not over."

    def _written(self, value: int | None) -> str:
        """Write a value of each process as that of all."""
        assert value is not None, "an edge that there is"
        return number.plain(self.of_all(value), 0)


def _established(confidence: float) -> str:
    """Say how certain an edge is, and whether that is enough to be established."""
    if not confidence:
        return f"Confidence: not established, because {DOUBT}"
    said = f"Confidence ≥ {number.confidence(confidence)}"
    return said if confidence >= ESTABLISHED_MIN else f"{said}: not established"


def read_searches(
    reader: StoreReader, run_id: int, experiment: Experiment, cells: Sequence[Cell]
) -> dict[Cell, Searched]:
    """Read what was tried by the searches among the cells of a run."""
    rows = ask(reader, "searches", run_id)
    points = experiment.points()
    searches = {cell: getattr(points[cell.workload], "search", None) for cell in cells}
    found = {}
    for cell, search in searches.items():
        if search:
            of_values = _by_value(cell, search, rows)
            found[cell] = Searched(
                cell=cell,
                search=search,
                tried={
                    value: tuple(row["meets_objective"] == 1 for row in trials)
                    for value, trials in of_values.items()
                },
                processes=getattr(points[cell.workload], "processes", 1),
                reasons={
                    value: next(
                        (row["violation"] for row in trials if row["violation"]), ""
                    )
                    for value, trials in of_values.items()
                },
            )
    return found


def _by_value(cell: Cell, search: Search, rows: Sequence[Row]) -> dict[int, list[Row]]:
    """Return the trials of one search by their value, the smallest first."""
    found: dict[int, list[Row]] = defaultdict(list)
    begin = f"{cell.workload} {search.parameter}="
    for row in rows:
        value = row["workload"].removeprefix(begin)
        if (
            (row["server"], row["client"]) == (cell.server, cell.client)
            and row["workload"].startswith(begin)
            and value.isdecimal()
        ):
            found[int(value)].append(row)
    return {value: found[value] for value in sorted(found)}
