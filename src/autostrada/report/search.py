"""Results of a run's searches: the capacity and the lowest value with a violation."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from autostrada.experiment.experiment import Experiment
from autostrada.experiment.matrix import Cell
from autostrada.report import number
from autostrada.report.query import run_query
from autostrada.report.samples import Sampled
from autostrada.stats.confidence import edges_confidence
from autostrada.stats.interval import Interval
from autostrada.stats.search import (
    Bracket,
    Search,
    SearchResult,
    Step,
    bracket,
    deciding_step,
    next_step,
)
from autostrada.store.reader import Row, StoreReader
from autostrada.workloads.workload import Workload, point_name, step_parameters

NO_CONFIDENCE = "too few trials at the edges of a search agree"
"""Reason why a capacity is not established if its edges have no confidence."""

ESTABLISHED_MIN = 0.95
"""
Minimum confidence of an established capacity.

Six trials that agree at each edge attain it.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Searched:
    """One search and the steps it made."""

    cell: Cell
    """The searched cell, whose workload has no value of the searched parameter."""

    search: Search
    tried: Mapping[Step, tuple[bool, ...]]
    """Per step, the smallest value first: for each trial, whether it met the
    objective."""

    duration_parameter: str = "seconds"
    """Parameter of the workload that a confirmation replaces."""

    processes: int = 1
    """
    Number of client processes.

    Tried values are per process; displayed values are totals.
    """

    reasons: Mapping[Step, str] = field(default_factory=dict)
    """Per step: the first violation among its trials, in words; ``""`` without one."""

    @property
    def bracket(self) -> Bracket:
        """The values between which the capacity lies, per process."""
        return bracket(self.tried)

    @property
    def is_over(self) -> bool:
        """Whether the search is complete."""
        return isinstance(next_step(self.search, self.tried), SearchResult)

    @property
    def capacity(self) -> Sampled | None:
        """
        The capacity of all processes; its upper bound is the lowest violation above it.

        It is 0 if even the smallest value violated the objective. It has no upper bound
        if no value did. It is ``None`` before the first trial.
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
                self._trials(edges.met, is_met=True),
                self._trials(edges.violated, is_met=False),
            ),
        )
        return Sampled(
            values=(met * self.processes,),
            known_interval=interval,
            no_confidence_reason=NO_CONFIDENCE,
            remedy="at least six trials that agree at each edge of a search give",
        )

    def _trials(self, edge: int | None, *, is_met: bool) -> tuple[bool, ...]:
        """Return the trials that decide on an edge; an absent edge is certain."""
        if edge is None:
            return (is_met,) * self.search.repetitions
        step = deciding_step(self.tried, edge)
        if is_met and self.search.is_confirmed and not step.is_confirmation:
            return ()
        return self.tried[step]

    def at(self, step: Step) -> Cell:
        """Return the cell of one step."""
        parameters = step_parameters(self.search, step, self.duration_parameter)
        return replace(self.cell, workload=point_name(self.cell.workload, parameters))

    def total(self, value: int) -> int:
        """Return the total of all processes for a value per process."""
        return value * self.processes

    def label(self, step: Step) -> str:
        """Return the total of a step, and its duration if it is a confirmation."""
        total = number.plain(self.total(step.value), 0)
        if not step.is_confirmation:
            return total
        return f"{total} for {number.plain(self.search.confirm_s or 0, 0)} s"

    @property
    def sharing(self) -> str:
        """Sentence about the processes that share a value; ``""`` for one process."""
        if self.processes == 1:
            return ""
        return f"{number.plain(self.processes, 0)} client processes share them evenly."

    @property
    def sentence(self) -> str:
        """The result of the search in sentences."""
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
        if self.search.confirm_s is not None and edges.met is not None:
            found += (
                f" Trials at the capacity last "
                f"{number.plain(self.search.confirm_s, 0)} s."
            )
        violated = deciding_step(self.tried, edges.violated or 0)
        if reason := self.reasons.get(violated):
            found += f" Failed at {self._written(edges.violated)}: {reason}."
        if self.capacity and self.is_over:
            found += f" {_established(self.capacity.interval.confidence)}."
        found = f"The objective was {found[0].lower()}{found[1:]}"
        return found if self.is_over else f"{found} The search is not over."

    def _written(self, value: int | None) -> str:
        """Format the total of all processes for a value per process."""
        assert value is not None, "only existing edges are written"
        return number.plain(self.total(value), 0)


def _established(confidence: float) -> str:
    """State the confidence of a capacity and whether it is established."""
    if not confidence:
        return f"Confidence: not established, because {NO_CONFIDENCE}"
    stated = f"Confidence ≥ {number.confidence(confidence)}"
    return stated if confidence >= ESTABLISHED_MIN else f"{stated}: not established"


def read_searches(
    reader: StoreReader, run_id: int, experiment: Experiment, cells: Sequence[Cell]
) -> dict[Cell, Searched]:
    """Read the results of all searches among the given cells of a run, by cell."""
    rows = run_query(reader, "searches", run_id)
    points = experiment.points()
    found = {}
    for cell in cells:
        workload = points[cell.workload]
        if search := workload.capacity_search:
            by_step = _by_step(cell, workload, rows)
            found[cell] = Searched(
                cell=cell,
                search=search,
                tried={
                    step: tuple(row["meets_objective"] == 1 for row in trials)
                    for step, trials in by_step.items()
                },
                duration_parameter=workload.duration_parameter,
                processes=workload.client_processes,
                reasons={
                    step: next(
                        (row["violation"] for row in trials if row["violation"]), ""
                    )
                    for step, trials in by_step.items()
                },
            )
    return found


def _by_step(
    cell: Cell, workload: Workload, rows: Sequence[Row]
) -> dict[Step, list[Row]]:
    """Return the trials of one search by step, the smallest value first."""
    found: dict[Step, list[Row]] = defaultdict(list)
    for row in rows:
        is_of_ends = (row["server"], row["client"]) == (cell.server, cell.client)
        if is_of_ends and (step := workload.step_of(row["workload"])):
            found[step].append(row)
    return {step: found[step] for step in sorted(found)}
