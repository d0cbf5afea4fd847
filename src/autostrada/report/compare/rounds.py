"""The rows of a run that measures two sides in turn, and which rounds it awaits."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log
from statistics import fmean

from pydantic import TypeAdapter

from autostrada.errors import UsageError
from autostrada.experiment.matrix import Cell
from autostrada.experiment.next_round import NextRound
from autostrada.experiment.sides import ComparedSides
from autostrada.report.compare.compared_metric import ChangeVerdict, ComparedMetric
from autostrada.report.compare.gate import ConditionKind, parse_gate
from autostrada.report.compare.sentences import further_time
from autostrada.report.results import Outcome, Results, read_results
from autostrada.stats.change import Change
from autostrada.stats.condition import Condition
from autostrada.stats.equivalence import LOOKS, compare_sides, paired_logs
from autostrada.stats.evidence import EndName
from autostrada.stats.metrics import METRICS, Group, Metric
from autostrada.store.reader import StoreReader, as_record
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

MAIN = ("cpu", "p99")
"""Metrics of which each workload has one, and which are measured until they are
decided."""

CONDITIONS = ConditionKind(examples="'cpu > +3%' or 'rate < -5%'", known=SHOWN)


@dataclass(frozen=True, kw_only=True)
class PairedMetric(ComparedMetric):
    """A metric of one workload, compared by the rounds in which both sides have it."""

    sides: tuple[Outcome, Outcome]
    rounds: int
    """Number of rounds in which both sides have it."""

    paired: Change | None
    """``None`` without a round."""

    is_awaited: bool
    """Whether rounds are made for it until it is decided."""

    @cached_property
    def change(self) -> Change | None:
        """The change of B relative to A; ``None`` without a round."""
        return self.paired

    def relative_to(self, factor: float) -> Change | None:
        """Return the change of B, with the direction of its interval from a factor."""
        return self.paired.relative_to(factor) if self.paired else None

    @property
    def is_open(self) -> bool:
        """Whether more rounds are made for it."""
        is_decided = self.paired is not None and not self.paired.needed_rounds
        return self.is_awaited and not is_decided and not self.failure

    @property
    def reason(self) -> str:
        """Why a side was not measured, or what would decide the row."""
        is_undecided = self.is_open and self.verdict is ChangeVerdict.UNDECIDED
        return self.failure or (further_time([self]) if is_undecided else "")

    @property
    def too_few(self) -> str:
        """The reason why no change can be found; empty if there are enough rounds."""
        if self.paired and self.paired.ratio.confidence:
            return ""
        return f"a change requires {LOOKS[0]} rounds"


@dataclass(frozen=True, kw_only=True, slots=True)
class Rounds:
    """A run that measures two sides in turn."""

    results: Results
    sides: ComparedSides
    conditions: tuple[Condition, ...]
    rows: tuple[PairedMetric, ...]
    """Those that are awaited first, in the order of the experiment."""

    @property
    def main(self) -> list[PairedMetric]:
        """The row of each workload that the conclusion is about."""
        return [row for row in self.rows if row.metric.name in MAIN]


def undecided(reader: StoreReader, run_id: int) -> list[NextRound]:
    """Return the next round of all rows that a run awaits; empty if it is over."""
    found = read_rounds(reader, run_id)
    rounds_max = found.sides.rounds_max
    rows = [row for row in found.rows if row.is_open and row.rounds < rounds_max]
    if not rows:
        return []
    made = [row.rounds for row in rows]
    looks = (look for look in LOOKS if look > min(made))
    return [
        NextRound(
            cells=tuple(side.cell for row in rows for side in row.sides),
            rounds=next(looks, rounds_max) - min(made),
            trials=sum(made),
            chance=1.0,
        )
    ]


def read_rounds(reader: StoreReader, run_id: int | None = None) -> Rounds:
    """
    Read a run that measures two sides in turn; ``None`` stands for the newest run.

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
    conditions = tuple(parse_gate(text, CONDITIONS) for text in sides.fail_if)
    return Rounds(
        results=results,
        sides=sides,
        conditions=conditions,
        rows=tuple(_rows(results, sides, conditions)),
    )


def _rows(
    results: Results, sides: ComparedSides, conditions: Sequence[Condition]
) -> Iterator[PairedMetric]:
    planned = planned_rows([*results.points.values()])
    taken_s = _taken_s(results)
    for name, point in planned:
        both = before, after = _outcomes(point, results, sides)
        absences = (side.absence for side in both if side.failures)
        metric = _shown(name, end_of(point), before, after)
        logs = _logs(name, metric, before, after)
        limits = [each.limit for each in conditions if each.metric == name]
        paired = None
        if logs:
            paired = compare_sides(
                logs,
                margin=sides.margin,
                rows=len(planned),
                rounds_max=sides.rounds_max,
                limits=limits,
            )
        round_s = taken_s.get(before.cell, 0.0) + taken_s.get(after.cell, 0.0)
        yield PairedMetric(
            metric=replace(
                metric,
                name=name,
                # More CPU time for the same messages is slower.
                group=Group.THROUGHPUT if name == "cpu" else metric.group,
            ),
            before=before.metrics.get(metric.name),
            after=after.metrics.get(metric.name),
            workload=point.name,
            repetitions=(before.measured, after.measured),
            signs=(before.sign(metric), after.sign(metric)),
            failure=next(filter(None, absences), ""),
            needed_s=round_s * paired.needed_rounds if paired else 0.0,
            sides=both,
            rounds=len(logs),
            paired=paired,
            is_awaited=name in MAIN or bool(limits),
        )


def end_of(point: Workload) -> EndName:
    """Return the end of a workload that two sides are compared at."""
    return "client" if point.why_only_engine_serves else "server"


def planned_rows(points: Sequence[Workload]) -> list[tuple[str, Workload]]:
    """
    Return the rows of a table, which only the workloads decide.

    Each workload has its main metric. Memory is that of the first workload of each end,
    and the rate that of the first closed loop.
    """
    main = [(main_metric(point), point) for point in points]
    first = {end_of(point): point for point in reversed(points)}
    closed = [point for name, point in main if name == "cpu"]
    more = [
        *(("memory", point) for point in first.values()),
        *(("rate", point) for point in closed[:1]),
    ]
    return [*main, *more][:ROWS_MAX]


def main_metric(point: Workload) -> str:
    """Return the CPU time, or the response time of an open loop."""
    return "cpu" if getattr(point, "is_closed_loop", True) else "p99"


def _taken_s(results: Results) -> Mapping[Cell, float]:
    """Return the mean duration of a trial of each cell in seconds."""
    taken: dict[Cell, list[float]] = defaultdict(list)
    for row in results.trials:
        if row["taken_ns"] is not None:
            taken[as_record(Cell, row)].append(row["taken_ns"] / 1e9)
    return {cell: fmean(each) for cell, each in taken.items()}


def _outcomes(
    point: Workload, results: Results, sides: ComparedSides
) -> tuple[Outcome, Outcome]:
    """Return the outcomes of both sides in a workload."""
    outcomes = {
        getattr(cell, end_of(point)): outcome
        for cell, outcome in results.outcomes.items()
        if cell.workload == point.name
    }
    return outcomes[sides.before], outcomes[sides.after]


def _shown(name: str, end: EndName, before: Outcome, after: Outcome) -> Metric:
    """Return the metric of a row."""
    names = [each.format(end=end) for each in SHOWN[name]]
    both = before.metrics.keys() & after.metrics.keys()
    return METRICS[next((each for each in names if each in both), names[0])]


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
