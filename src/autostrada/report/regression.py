"""A run that compares two sides: its rows, and which rounds may decide more of them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, inf, log

from pydantic import TypeAdapter

from autostrada.errors import UsageError
from autostrada.experiment.matrix import Cell
from autostrada.experiment.next_round import NextRound
from autostrada.experiment.sides import ComparedSides
from autostrada.report import number
from autostrada.report.results import Outcome, Results, read_results
from autostrada.stats.change import Direction
from autostrada.stats.condition import Condition
from autostrada.stats.equivalence import (
    ERROR_MAX,
    LOOKS,
    NOT_COMPARED,
    SideComparison,
    SideFinding,
    compare_sides,
    paired_logs,
)
from autostrada.stats.evidence import EndName
from autostrada.stats.metrics import METRICS, Metric
from autostrada.stats.ratio import Ratio
from autostrada.store.reader import StoreReader
from autostrada.workloads.workload import Workload

ROWS_MAX = 12
"""Largest number of rows of a table."""


SHOWN = {
    "cpu": ("{end}_cpu_us_per_message",),
    "p99": ("response_ms_p99",),
    "memory": ("{end}_memory_bytes_max",),
    "rate": ("achieved_per_s", "received_per_s", "messages_per_s"),
}
"""Metrics by their names in conditions; the first that both sides have is shown, and
``{end}`` stands for the end that is compared."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RegressionRow:
    """One metric of one workload on both sides."""

    name: str
    """Name of the metric in conditions: a key of ``SHOWN``."""

    metric: Metric
    before: Outcome
    after: Outcome
    logs: tuple[float, ...]
    """Logarithm of B divided by A in each round that has both."""

    comparison: SideComparison = NOT_COMPARED

    @property
    def workload(self) -> str:
        """Name of the workload."""
        return self.before.cell.workload

    @property
    def cells(self) -> tuple[Cell, Cell]:
        """The cells of both sides."""
        return self.before.cell, self.after.cell

    @property
    def failure(self) -> str:
        """Why a side was not measured; empty if both were, or none was tried."""
        sides = (self.before, self.after)
        absences = (side.absence for side in sides if side.failures)
        return next(filter(None, absences), "")

    @property
    def is_open(self) -> bool:
        """Whether more rounds are made for it: only for CPU time."""
        return (
            self.name == "cpu"
            and self.comparison.finding is SideFinding.UNDECIDED
            and not self.failure
        )

    @property
    def ratio(self) -> Ratio | None:
        """B divided by A with its simultaneous interval; ``None`` without a round."""
        found = self.comparison
        if not found.rounds:
            return None
        return Ratio(
            value=exp(found.mean),
            low=exp(found.low),
            high=exp(found.high),
            confidence=0.0 if found.high == inf else 1 - ERROR_MAX,
        )

    def unchecked_reason(self, condition: Condition) -> str:
        """State why a condition cannot be checked; empty if it can."""
        del condition
        if self.comparison.rounds >= LOOKS[0]:
            return ""
        return self.failure or f"it needs {LOOKS[0]} rounds"

    def is_met(self, condition: Condition) -> bool:
        """Whether the whole interval is beyond the limit of a condition."""
        assert self.ratio, "checked without a round"
        if condition.relation is Direction.HIGHER:
            return self.ratio.low > condition.limit
        return self.ratio.high < condition.limit

    def evidence(self, condition: Condition) -> str:
        """Return the ratio with its bounds."""
        del condition
        assert self.ratio, "checked without a round"
        bounds = f"{number.times(self.ratio.low)} to {number.times(self.ratio.high)}"
        return f"{number.times(self.ratio.value)} ({bounds})"


@dataclass(frozen=True, kw_only=True, slots=True)
class Regression:
    """A run that compares two sides."""

    results: Results
    sides: ComparedSides
    rows: tuple[RegressionRow, ...]
    """Those of CPU time first, in the order of the experiment."""


def undecided(reader: StoreReader, run_id: int) -> list[NextRound]:
    """Return the next round of all rows that a run awaits; empty if it is over."""
    found = read_regression(reader, run_id)
    rounds_max = found.sides.rounds_max
    rows = [
        row for row in found.rows if row.is_open and row.comparison.rounds < rounds_max
    ]
    if not rows:
        return []
    made = [row.comparison.rounds for row in rows]
    looks = (look for look in LOOKS if look > min(made))
    return [
        NextRound(
            cells=tuple(cell for row in rows for cell in row.cells),
            rounds=next(looks, rounds_max) - min(made),
            trials=sum(made),
            chance=1.0,
        )
    ]


def read_regression(reader: StoreReader, run_id: int | None = None) -> Regression:
    """
    Read a run that compares two sides; ``None`` stands for the newest run.

    Raises:
        UsageError: the run does not exist, or does not compare two sides.
    """
    results = read_results(reader, run_id)
    document = json.loads(results.run.plan).get("sides")
    if document is None:
        raise UsageError(
            f"run {results.run_id} does not compare two sides: give one of autostrada "
            f"regress, or compare it with autostrada compare"
        )
    sides = TypeAdapter(ComparedSides).validate_python(document)
    points = [*results.points.values()]
    rows = [_row(name, point, results, sides) for name, point in _planned(points)]
    return Regression(results=results, sides=sides, rows=tuple(_compared(rows, sides)))


def _compared(
    rows: Sequence[RegressionRow], sides: ComparedSides
) -> Iterator[RegressionRow]:
    """Yield rows with their comparisons."""
    for row in rows:
        comparison = compare_sides(
            row.logs,
            margin=sides.margin,
            rows=len(rows),
            rounds_max=sides.rounds_max,
        )
        yield replace(row, comparison=comparison)


def end_of(point: Workload) -> EndName:
    """Return the end of a workload that two sides are compared at."""
    return "client" if point.why_only_engine_serves else "server"


def _planned(points: Sequence[Workload]) -> list[tuple[str, Workload]]:
    """
    Return the rows of a table, which only the workloads decide.

    Each workload has the CPU time, or the response time of an open loop. Memory is that
    of the first workload of each end, and the rate that of the first closed loop.
    """
    main = [("cpu" if _is_closed_loop(each) else "p99", each) for each in points]
    first = {end_of(point): point for point in reversed(points)}
    closed = [point for point in points if _is_closed_loop(point)]
    more = [
        *(("memory", point) for point in first.values()),
        *(("rate", point) for point in closed[:1]),
    ]
    return [*main, *more][:ROWS_MAX]


def _is_closed_loop(point: Workload) -> bool:
    return bool(getattr(point, "is_closed_loop", True))


def _row(
    name: str, point: Workload, results: Results, sides: ComparedSides
) -> RegressionRow:
    """Return a row that is not compared yet."""
    end = end_of(point)
    outcomes = {
        getattr(cell, end): outcome
        for cell, outcome in results.outcomes.items()
        if cell.workload == point.name
    }
    before, after = outcomes[sides.before], outcomes[sides.after]
    names = [each.format(end=end) for each in SHOWN[name]]
    both = before.metrics.keys() & after.metrics.keys()
    metric = METRICS[next((each for each in names if each in both), names[0])]
    return RegressionRow(
        name=name,
        metric=metric,
        before=before,
        after=after,
        logs=tuple(_logs(name, metric, before, after)),
    )


def _logs(name: str, metric: Metric, before: Outcome, after: Outcome) -> list[float]:
    if before.slices and after.slices and name == "cpu":
        return paired_logs(before.slices.cpu_ns, after.slices.cpu_ns)
    if before.slices and after.slices and name == "rate":
        return paired_logs(after.slices.duration_ns, before.slices.duration_ns)
    found = [side.metrics.get(metric.name) for side in (before, after)]
    first, second = (sampled.by_round if sampled else {} for sampled in found)
    return [
        log(second[number] / first[number])
        for number in sorted(first.keys() & second.keys())
        if first[number] > 0 and second[number] > 0
    ]
