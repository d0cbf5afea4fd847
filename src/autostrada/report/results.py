"""The results of a run: metrics, verdict and failures of each cell."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from autostrada.errors import NotInstalled
from autostrada.experiment.difference import changed_points
from autostrada.experiment.experiment import (
    Experiment,
    parse_experiment,
    without_removed_keys,
)
from autostrada.experiment.matrix import REFERENCE, Attempt, Cell, is_planned
from autostrada.experiment.override import experiment_for_run
from autostrada.experiment.publication import Publication, parse_publication
from autostrada.report import metrics, number
from autostrada.report.bounds import MetricBounds
from autostrada.report.circumstances import Disturbance, FailedAttempt, calibration_of
from autostrada.report.evidence import read_evidence
from autostrada.report.interval import usual_confidence
from autostrada.report.memory_bounds import MemoryLowerBound, read_memory_lower_bounds
from autostrada.report.query import run_query
from autostrada.report.samples import Sampled, read_samples
from autostrada.report.slices import CellSlices, read_slices
from autostrada.stats.evidence import Evidence
from autostrada.stats.metrics import PER_CPU, Group, Metric
from autostrada.stats.verdict import Bottleneck, Verdict, classify_cell
from autostrada.store.reader import Row, StoreReader, as_record
from autostrada.store.record import Calibration, ContestantVersion, Run
from autostrada.workloads.workload import Workload


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """The outcome of one cell: metrics, failures, or both."""

    cell: Cell
    metrics: Mapping[str, Sampled]
    """Metrics by name; empty if nothing was measured."""

    verdict: Verdict | None
    """``None`` if nothing was measured."""

    engine_utilization: float | None
    """
    Median share of the time that the engine was busy as the server, in [0, 1].

    It is ``None`` if the engine was not the server or was not observed.
    """

    measured: int
    """Number of counted trials with a measurement."""

    failures: tuple[FailedAttempt, ...]
    disturbances: tuple[Disturbance, ...]
    violations: tuple[str, ...]
    """Why trials are not steady, in words: one entry for each of them."""

    missing: int
    """Number of planned repetitions that were neither measured nor failed."""

    reference_clients: int = 0
    """Number of client processes that are the engine beside those of a contestant."""

    slices: CellSlices | None = None
    """``None`` if the cell was not measured in slices."""

    @property
    def workload(self) -> str:
        """Name of the workload, with the number of clients that are the engine."""
        if not self.reference_clients:
            return self.cell.workload
        return f"{self.cell.workload} ({self.reference_clients} engine)"

    @property
    def utilization(self) -> float | None:
        """Utilization of a core in slices; ``None`` if it was not measured in some."""
        return self.slices.utilization if self.slices else None

    def sign(self, metric: Metric) -> str:
        """
        Return the sign before a metric that is a bound; empty if it is none.

        A metric is a bound if the load generator was the bottleneck. Latencies are also
        bounds if it sent late. The rate by CPU time is one if the contestant was idle.
        """
        if metric.name == PER_CPU:
            is_waiting = self.slices is not None and self.slices.is_waiting
            return metric.bound_sign if is_waiting else ""
        if self.verdict is None:
            return ""
        is_late = self.verdict.is_late and metric.group is Group.LATENCY
        return metric.bound_sign if is_late or self.verdict.is_lower_bound else ""

    def written(self, metric: Metric) -> str:
        """
        Format the median of a metric, with its sign if it is a bound.

        Raises:
            KeyError: the cell does not have the metric.
        """
        return self.sign(metric) + metrics.written(
            metric, self.metrics[metric.name].interval.median
        )

    @property
    def bottleneck(self) -> str:
        """The name of the bottleneck; empty if nothing was measured."""
        return str(self.verdict.bottleneck) if self.verdict else ""

    @property
    def evidence(self) -> str:
        """The evidence for the bottleneck; empty if nothing was measured."""
        return self.verdict.evidence if self.verdict else ""

    @property
    def absence(self) -> str:
        """The reason why the cell has no metrics; empty if it has some."""
        if self.measured:
            return ""
        if self.failures:
            failure = self.failures[-1]
            return f"{failure.kind}: {failure.message}"
        return "not measured yet" if self.missing else "not tested"

    @property
    def problem(self) -> str:
        """What broke in most measurements of the cell; empty if nothing did."""
        if self.verdict and self.verdict.bottleneck is Bottleneck.BROKEN:
            return self.verdict.evidence
        return ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Results:
    """The results of one run, computed only from what the store recorded."""

    run_id: int
    run: Run
    experiment: Experiment
    """The experiment as it was run, with the changes of a quick run or overrides."""

    points: Mapping[str, Workload]
    """Points of the experiment by name."""

    changed_points: frozenset[str]
    """Points whose parameters differ from the experiment's file."""

    publication: Publication | None
    host: Mapping[str, object]
    repetitions: int
    """Number of planned repetitions per cell; with a budget, of cells that have most.
    """

    budget_s: float | None
    """Time for the trials; ``None`` if each cell has the planned repetitions."""

    outcomes: Mapping[Cell, Outcome]
    """Outcomes by cell, in the order of the experiment."""

    memory_lower_bounds: MemoryLowerBound
    """Memory of servers whose trials ended out of memory."""

    absent: Mapping[str, Sequence[FailedAttempt]]
    """Failures of contestants that take part in no trial, by contestant."""

    versions: tuple[ContestantVersion, ...]
    calibration: Calibration | None
    trials: Sequence[Row]
    """All attempts in the order in which they started."""

    not_observed: Sequence[Row]
    """Metrics that could not be observed: a row per cell, metric and reason."""

    @property
    def bounds_note(self) -> str:
        """Explanation of the signs before bounds; empty if no metric is a bound."""
        verdicts = [
            outcome.verdict for outcome in self.outcomes.values() if outcome.verdict
        ]
        if not any(verdict.is_lower_bound or verdict.is_late for verdict in verdicts):
            return ""
        return (
            "≥ and ≤ mark bounds: the load generator was the bottleneck in these "
            "cells, or sent late."
        )

    @property
    def clients_note(self) -> str:
        """Explanation of cells with clients of two kinds; empty if there are none."""
        if not any(outcome.reference_clients for outcome in self.outcomes.values()):
            return ""
        return (
            "(3 engine): so many of the client processes are the engine. Messages "
            "received per second are those of all clients; what each client receives, "
            "loses or uses is that of the contestant's."
        )

    @property
    def extent(self) -> str:
        """The budget of the run, or the number of repetitions of each cell."""
        if self.budget_s is not None:
            return f"a budget of {number.minutes(self.budget_s)}"
        return number.count(self.repetitions, "repetition")

    @property
    def usual_repetitions(self) -> int:
        """The number of measurements that most cells have; at least 1."""
        made = Counter(outcome.measured for outcome in self.outcomes.values())
        del made[0]
        return max(made, key=lambda each: (made[each], each), default=1)

    @property
    def usual_confidence(self) -> float:
        """The confidence of an interval in most cells; 0 for one measurement."""
        return usual_confidence(self.usual_repetitions)

    @property
    def disturbances(self) -> list[Disturbance]:
        """All disturbances of the run."""
        return [
            disturbance
            for outcome in self.outcomes.values()
            for disturbance in outcome.disturbances
        ]

    @property
    def stolen_shares(self) -> list[float]:
        """Largest share of a core that the hypervisor took, of each trial with one."""
        shares = (row["stolen_share"] for row in self.trials)
        return [share for share in shares if share is not None]

    def is_changed(self, cell: Cell) -> bool:
        """Whether a cell's parameters differ from those in the experiment's file."""
        return cell.workload in self.changed_points

    @property
    def missing(self) -> int:
        """Number of planned trials that have not been made."""
        return sum(outcome.missing for outcome in self.outcomes.values())


def read_results(reader: StoreReader, run_id: int | None = None) -> Results:
    """Read the results of one run; ``None`` stands for the newest run."""
    stored = reader.run(run_id)
    run, run_id = stored.run, stored.run_id
    plan = json.loads(run.plan)
    origin = f"run {run_id}"
    whole = parse_experiment(without_removed_keys(run.definition), origin=origin)
    experiment = experiment_for_run(
        whole,
        is_quick=plan.get("is_quick", False),
        overrides=plan.get("overrides", ()),
        workloads=plan.get("workloads", ()),
    )
    points = experiment.points()
    budget_s = plan.get("budget_s")
    repetitions = 1 if budget_s else int(plan["repetitions"])
    long_warm_ups = plan.get("long_warm_ups", ())
    planned = {
        cell: sum(
            is_planned(
                Attempt(cell=cell, repetition=made),
                points[cell.workload],
                long_warm_ups,
            )
            for made in range(repetitions)
        )
        for cell in experiment.chosen_cells(plan["contestants"])
    }
    outcomes, absent = _read_outcomes(reader, run_id, points, planned)
    return Results(
        run_id=run_id,
        run=run,
        experiment=experiment,
        points=points,
        changed_points=changed_points(experiment, whole),
        publication=parse_publication(run.published, whole, origin=origin),
        host=json.loads(run.host),
        repetitions=plan["repetitions"],
        budget_s=budget_s,
        outcomes=outcomes,
        memory_lower_bounds=read_memory_lower_bounds(reader, run_id, experiment),
        absent=absent,
        versions=tuple(reader.contestants(run_id)),
        calibration=calibration_of(run, reader.calibrations()),
        trials=run_query(reader, "trials", run_id),
        not_observed=run_query(reader, "missing", run_id),
    )


def metric_bounds(cell: Cell, metric: Metric, results: Results) -> MetricBounds | None:
    """
    Return the metric of a cell; ``None`` if the cell lacks it.

    The memory of trials that ended because of their memory counts as a lower bound.
    """
    outcome = results.outcomes.get(cell)
    if outcome is None:
        return None
    sampled = outcome.metrics.get(metric.name)
    ended = results.memory_lower_bounds.get(cell, {}).get(metric.name, ())
    if ended:
        measured = sampled.values if sampled else ()
        sampled = Sampled(values=(*measured, *ended), lower_bounds=len(ended))
    if sampled is None:
        return None
    sign, verdict = outcome.sign(metric), outcome.verdict
    # An engine that was the bottleneck may also have read late.
    is_only_late = sign and verdict and not verdict.is_lower_bound
    lower = outcome.metrics.get(metric.at_least) if is_only_late else None
    return MetricBounds(sampled=sampled, sign=sign, at_least=lower)


def not_installed(results: Results) -> frozenset[str]:
    """Return the contestants whose library or language the machine does not have."""
    return frozenset(
        name
        for name, failures in results.absent.items()
        if failures[-1].kind == NotInstalled.kind
    )


def _read_outcomes(
    reader: StoreReader,
    run_id: int,
    points: Mapping[str, Workload],
    planned: Mapping[Cell, int],
) -> tuple[dict[Cell, Outcome], Mapping[str, Sequence[FailedAttempt]]]:
    """
    Return the outcomes of the cells, each with its number of planned repetitions.

    The second value are the failures of contestants that take part in no trial.
    """
    failed, absent, disturbed = defaultdict(list), defaultdict(list), defaultdict(list)
    violations = defaultdict(list)
    for row in run_query(reader, "failures", run_id):
        if row["workload"] is None:
            absent[row["contestant"]].append(as_record(FailedAttempt, row))
        else:
            failed[as_record(Cell, row)].append(as_record(FailedAttempt, row))
    for row in run_query(reader, "disturbances", run_id):
        disturbed[as_record(Cell, row)].append(as_record(Disturbance, row))
    for row in run_query(reader, "violations", run_id):
        violations[as_record(Cell, row)].append(row["violation"])
    samples = read_samples(reader, run_id)
    of_trials = read_evidence(reader, run_id)
    slices = read_slices(reader, run_id, points)

    def outcome(cell: Cell) -> Outcome:
        evidence, point = of_trials.get(cell, ()), points[cell.workload]
        ends = dict.fromkeys((cell.server, cell.client))
        of_ends = [each for name in ends for each in absent.get(name, ())]
        failures = (*of_ends, *failed.get(cell, ()))
        made = len(evidence) + sum(failure.is_counted for failure in failures)
        clients = point.client_processes - point.contestant_clients
        return Outcome(
            cell=cell,
            metrics=samples.get(cell, {}),
            verdict=classify_cell(evidence) if evidence else None,
            engine_utilization=_engine_utilization(evidence),
            measured=len(evidence),
            failures=failures,
            disturbances=tuple(disturbed.get(cell, ())),
            violations=tuple(violations.get(cell, ())),
            missing=0 if of_ends else max(0, planned[cell] - made),
            reference_clients=clients if cell.client != REFERENCE else 0,
            slices=slices.get(cell),
        )

    return {cell: outcome(cell) for cell in planned}, absent


def _engine_utilization(evidence: Sequence[Evidence]) -> float | None:
    shares = [
        row.server.utilization
        for row in evidence
        if row.server.is_engine and row.server.utilization is not None
    ]
    return median(shares) if shares else None
