"""A comparison as a value: the cells of both sides, and those of only one."""

from collections.abc import Mapping
from dataclasses import dataclass

from autostrada.errors import UsageError
from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.report.cold import COLD
from autostrada.report.compare.compared_metric import ComparedMetric
from autostrada.report.compare.side import Side
from autostrada.report.ranking import ranked_by
from autostrada.report.results import Outcome
from autostrada.stats.change import Change
from autostrada.stats.metrics import METRICS, PER_CPU, Metric
from autostrada.workloads.workload import Workload

SHOWN = (
    PER_CPU,
    "ms_per_million",
    "ms_per_100k",
    "received_per_s",
    "achieved_per_s",
    "achieved_share",
    "latency_ms_p99",
    "response_ms_p99",
    "dropped_messages",
    "server_cpu_us_per_message",
    "client_cpu_us_per_message",
    "server_memory_bytes_max",
    "client_memory_bytes_max",
)
"""Metrics shown in the tables if a cell has them; conditions may use any metric."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedCell:
    """A cell that was measured on both sides."""

    before: Outcome
    after: Outcome
    main: Metric
    """The metric by which the cell is ranked."""

    metrics: Mapping[str, ComparedMetric]
    """The metrics that at least one side has, by name."""

    @property
    def workload(self) -> str:
        """The workload, which is the same on both sides."""
        return self.before.cell.workload

    @property
    def change(self) -> Change | None:
        """Change of the main metric; ``None`` if a side does not have it."""
        metric = self.metrics.get(self.main.name)
        return metric.change if metric else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """The comparison of two sides, A and B."""

    before: Side
    after: Side
    cells: tuple[ComparedCell, ...]
    reference: tuple[ComparedCell, ...]
    """
    Cells of the engine itself, which show whether engine or machine changed.

    They are empty if two contestants are compared.
    """

    unmatched: tuple[str, ...]
    """Cells of which only one side has metrics, with the reason, one line each."""

    @property
    def metrics(self) -> list[ComparedMetric]:
        """The metrics of all cells except the reference's."""
        return [metric for cell in self.cells for metric in cell.metrics.values()]

    @property
    def is_of_contestants(self) -> bool:
        """Whether two contestants of one run are compared, instead of two runs."""
        return self.before.address.contestant is not None


def compare(before: Side, after: Side) -> Comparison:
    """
    Compare the common cells of two sides, metric by metric.

    Cells are ordered by workload, as in A's experiment, and then by contestant name.

    Raises:
        UsageError: both sides are the same, or of different experiments.
    """
    _check_comparable(before, after)
    firsts, seconds = before.outcomes, after.outcomes
    workloads = list(dict.fromkeys(key[1] for key in (*firsts, *seconds)))
    keys = sorted(
        firsts.keys() | seconds.keys(),
        key=lambda key: (workloads.index(key[1]), key[0]),
    )
    points = before.results.points
    is_of_runs = before.address.contestant is None
    cells = [
        _compared(firsts[key], seconds[key], points, is_of_runs=is_of_runs)
        for key in keys
        if key in firsts and key in seconds
    ]
    reference = [
        cell
        for cell in cells
        if is_of_runs and cell.before.cell.contestant == REFERENCE
    ]
    sides = (
        ("A", firsts, "B", seconds, after),
        ("B", seconds, "A", firsts, before),
    )
    return Comparison(
        before=before,
        after=after,
        cells=tuple(cell for cell in cells if cell not in reference),
        reference=tuple(reference),
        unmatched=tuple(
            f"{found[key].cell.contestant} in {key[1]}: only in {name}; {other_name}: "
            f"{_absence(found[key].cell, other)}"
            for key in keys
            for name, found, other_name, others, other in sides
            if key in found and key not in others
        ),
    )


def _check_comparable(before: Side, after: Side) -> None:
    first, second = before.address, after.address
    is_same_run = before.results.run_id == after.results.run_id
    is_same_run = is_same_run and first.store.samefile(second.store)
    if is_same_run and first.contestant == second.contestant:
        raise UsageError(f"{first.text} and {second.text} are the same: name two")
    names = before.results.run.experiment, after.results.run.experiment
    if names[0] != names[1]:
        raise UsageError(
            f"{first.text} is a run of {names[0]}, but {second.text} is one of "
            f"{names[1]}: name two runs of the same experiment"
        )


def _compared(
    before: Outcome,
    after: Outcome,
    points: Mapping[str, Workload],
    *,
    is_of_runs: bool,
) -> ComparedCell:
    return ComparedCell(
        before=before,
        after=after,
        main=_main(points[before.cell.workload], before, after),
        metrics={
            metric.name: ComparedMetric(
                metric=metric,
                before=before.metrics.get(metric.name),
                after=after.metrics.get(metric.name),
                workload=before.cell.workload,
                contestant=before.cell.contestant if is_of_runs else "",
                repetitions=(before.measured, after.measured),
                signs=(before.sign(metric), after.sign(metric)),
            )
            for metric in METRICS.values()
            if metric.name in {*before.metrics, *after.metrics}
        },
    )


def _absence(cell: Cell, side: Side) -> str:
    """Say why a side has no metrics of a cell: it failed or was not measured."""
    contestant = side.address.contestant or cell.contestant
    kinds = [
        failed.kind
        for other, outcome in side.results.outcomes.items()
        if (other.contestant, other.workload) == (contestant, cell.workload)
        for failed in outcome.failures
    ]
    kinds += [failed.kind for failed in side.results.absent.get(contestant, ())]
    if not kinds:
        return "not measured"
    return f"failed: {', '.join(dict.fromkeys(kinds))}"


def _main(workload: Workload, before: Outcome, after: Outcome) -> Metric:
    """Return the metric of a cell's rank, or else a cold one that both sides have."""
    ranked = ranked_by(workload, [before, after])
    return next(
        (
            metric
            for metric in (ranked, *COLD.values())
            if metric.name in before.metrics and metric.name in after.metrics
        ),
        ranked,
    )
