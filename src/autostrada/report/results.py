"""A run as values: of each cell its figures, its verdict and what went wrong."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from autostrada.experiment.difference import changed_points
from autostrada.experiment.experiment import Experiment, parse_experiment
from autostrada.experiment.matrix import Cell
from autostrada.experiment.override import as_run
from autostrada.experiment.publication import Publication, parse_publication
from autostrada.report import figures
from autostrada.report.circumstances import (
    Disturbance,
    FailedAttempt,
    calibration_of,
    disturbance_of,
    failed_attempt,
)
from autostrada.report.evidence import read_evidence
from autostrada.report.memory_bounds import MemoryLowerBound, read_memory_lower_bounds
from autostrada.report.query import ask
from autostrada.report.samples import Sampled, Samples, read_samples
from autostrada.report.search import Searched, read_searches
from autostrada.stats.evidence import Evidence
from autostrada.stats.figures import Figure, Group
from autostrada.stats.verdict import Bottleneck, Verdict, judge_cell
from autostrada.store.reader import Row, StoreReader
from autostrada.store.record import Calibration, ContestantVersion, Run


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What became of one cell: figures, failures, or both."""

    cell: Cell
    figures: Mapping[str, Sampled]
    verdict: Verdict | None
    """``None`` where nothing was measured."""

    engine_busy_share: float | None
    """Of the time, as the server; the median; None where it is not the server."""

    measured: int
    """How many counted trials measured something."""

    failures: tuple[FailedAttempt, ...]
    disturbances: tuple[Disturbance, ...]
    missing: int
    """Repetitions that were planned and neither measured nor failed."""

    def sign(self, figure: Figure) -> str:
        """Return what marks a figure that is a bound, because of the engine."""
        if self.verdict is None:
            return ""
        is_late = self.verdict.is_late and figure.group is Group.LATENCY
        return figure.bound_sign if is_late or self.verdict.is_lower_bound else ""

    def written(self, figure: Figure) -> str:
        """Write a figure that it has, as a bound where it is one."""
        return self.sign(figure) + figures.written(
            figure, self.figures[figure.name].interval.median
        )

    @property
    def absence(self) -> str:
        """Why it has no figures, in a few words; empty where it has."""
        if self.measured:
            return ""
        if self.failures:
            failure = self.failures[-1].failure
            return f"{failure.kind}: {failure.message}"
        return "not measured yet" if self.missing else "not tested"

    @property
    def trouble(self) -> str:
        """What broke in most of its measurements; empty where nothing did."""
        if self.verdict and self.verdict.bottleneck is Bottleneck.BROKEN:
            return self.verdict.evidence
        return ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Results:
    """One run, read from the store and computed from samples alone."""

    run_id: int
    run: Run
    experiment: Experiment
    """As the run has it: a quick one has its own."""

    changed_points: frozenset[str]
    """Those with other parameters than in the file: of a quick run, or as told."""

    publication: Publication | None
    host: Mapping[str, object]
    repetitions: int
    warm_ups: int
    outcomes: Mapping[Cell, Outcome]
    """Those of the experiment, then its searches, each with what it has tried."""

    searches: tuple[Searched, ...]
    memory_lower_bounds: MemoryLowerBound
    """What had come together in memory where a trial was ended because of that."""

    absent: Mapping[str, Sequence[FailedAttempt]]
    """By contestant that takes part in no trial: why."""

    versions: tuple[ContestantVersion, ...]
    calibration: Calibration | None
    trials: Sequence[Row]
    not_observed: Sequence[Row]
    """What could not be observed, and why: a row a cell and figure."""

    @property
    def bounds_note(self) -> str:
        """What the signs before figures mean; empty where no figure is a bound."""
        verdicts = [each.verdict for each in self.outcomes.values() if each.verdict]
        if not any(each.is_lower_bound or each.is_late for each in verdicts):
            return ""
        return (
            "≥ and ≤ mark bounds: there the load generator was the bottleneck, or sent "
            "late."
        )

    @property
    def disturbances(self) -> list[Disturbance]:
        """All that the machine disturbed, warm-ups left out."""
        return [each for it in self.outcomes.values() for each in it.disturbances]

    @property
    def counted_trials(self) -> int:
        """How many trials were made, warm-ups left out."""
        return sum(not row["is_warm_up"] for row in self.trials)

    def is_changed(self, cell: Cell) -> bool:
        """Whether a cell's trials are others than the experiment's file says."""
        searched, _, _ = cell.workload.partition(" ")
        return not self.changed_points.isdisjoint({cell.workload, searched})

    def is_searched(self, cell: Cell) -> bool:
        """Whether a cell is a search, or a value that one has tried."""
        return any(
            cell == each.cell or cell in map(each.at, each.tried)
            for each in self.searches
        )

    @property
    def missing(self) -> int:
        """How many trials were planned and not made."""
        return sum(outcome.missing for outcome in self.outcomes.values())


def read_results(reader: StoreReader, run_id: int | None = None) -> Results:
    """Read one run, the newest where no number is given."""
    stored = reader.run(run_id)
    run, run_id = stored.run, stored.run_id
    plan = json.loads(run.plan)
    origin = f"run {run_id}"
    whole = parse_experiment(run.definition, origin=origin)
    experiment = as_run(
        whole,
        is_quick=plan.get("is_quick", False),
        overrides=plan.get("overrides", ()),
        workloads=plan.get("workloads", ()),
    )
    versions = tuple(reader.contestants(run_id))
    trials = _Trials(
        samples=read_samples(reader, run_id),
        evidence=read_evidence(reader, run_id),
        attempts=_read_attempts(reader, run_id),
    )
    planned = experiment.chosen_cells(plan["contestants"])
    searches = read_searches(reader, run_id, experiment, planned)
    outcomes = {
        cell: trials.outcome(cell, _repetitions(experiment, cell, plan, searches))
        for cell in planned
        if cell not in searches
    }
    for searched in searches.values():
        tried = {value: trials.outcome(searched.at(value)) for value in searched.tried}
        outcomes[searched.cell] = _found(searched, tried, trials)
        outcomes |= {outcome.cell: outcome for outcome in tried.values()}
    return Results(
        run_id=run_id,
        run=run,
        experiment=experiment,
        changed_points=changed_points(experiment, whole),
        publication=parse_publication(run.published, whole, origin=origin),
        host=json.loads(run.host),
        repetitions=plan["repetitions"],
        warm_ups=plan["warm_ups"],
        outcomes=outcomes,
        searches=tuple(searches.values()),
        memory_lower_bounds=read_memory_lower_bounds(reader, run_id, experiment),
        absent=trials.attempts.absent,
        versions=versions,
        calibration=calibration_of(run, versions, reader.calibrations()),
        trials=ask(reader, "trials", run_id),
        not_observed=ask(reader, "missing", run_id),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Attempts:
    """What went wrong, by cell or contestant."""

    failed: Mapping[Cell, Sequence[FailedAttempt]]
    absent: Mapping[str, Sequence[FailedAttempt]]
    """By contestant that takes part in no trial."""

    disturbed: Mapping[Cell, Sequence[Disturbance]]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Trials:
    """All that is known of the trials of a run, by cell."""

    samples: Samples
    evidence: Mapping[Cell, Sequence[Evidence]]
    attempts: _Attempts

    def outcome(self, cell: Cell, repetitions: int = 0) -> Outcome:
        """Return what became of a cell of which so many repetitions were planned."""
        evidence = self.evidence.get(cell, ())
        absent = [
            failed
            for name in dict.fromkeys((cell.server, cell.client))
            for failed in self.attempts.absent.get(name, ())
        ]
        failures = (*absent, *self.attempts.failed.get(cell, ()))
        made = len(evidence) + sum(each.is_counted for each in failures)
        return Outcome(
            cell=cell,
            figures=self.samples.get(cell, {}),
            verdict=judge_cell(evidence) if evidence else None,
            engine_busy_share=_engine_busy_share(evidence),
            measured=len(evidence),
            failures=failures,
            disturbances=tuple(self.attempts.disturbed.get(cell, ())),
            missing=0 if absent else max(0, repetitions - made),
        )


def _engine_busy_share(evidence: Sequence[Evidence]) -> float | None:
    shares = [
        each.server.busy_share
        for each in evidence
        if each.server.is_engine and each.server.busy_share is not None
    ]
    return median(shares) if shares else None


def _repetitions(
    experiment: Experiment,
    cell: Cell,
    plan: Mapping[str, Any],
    searches: Mapping[Cell, Searched],
) -> int:
    """
    Return how many trials of a cell are planned.

    What follows a search has one, and none where the search has found nothing.
    """
    workload = experiment.points()[cell.workload]
    source = getattr(workload, "connections_of", None)
    if source is None:
        return int(plan["repetitions"])
    searched = searches.get(replace(cell, workload=source))
    is_vain = searched and searched.is_over and searched.bracket.met is None
    return 0 if is_vain else 1


def _read_attempts(reader: StoreReader, run_id: int) -> _Attempts:
    failed, absent, disturbed = defaultdict(list), defaultdict(list), defaultdict(list)
    for row in ask(reader, "failures", run_id):
        if row["workload"] is None:
            absent[row["contestant"]].append(failed_attempt(row))
        else:
            failed[_cell(row)].append(failed_attempt(row))
    for row in ask(reader, "disturbances", run_id):
        disturbed[_cell(row)].append(disturbance_of(row))
    return _Attempts(failed=failed, absent=absent, disturbed=disturbed)


def _found(
    searched: Searched, tried: Mapping[int, Outcome], trials: _Trials
) -> Outcome:
    """Return a search's result, with the verdict of the lowest value that misses it."""
    outcome = trials.outcome(searched.cell)
    most = searched.most
    if most is None:
        return outcome
    violated = searched.bracket.violated
    return replace(
        outcome,
        figures={"capacity_connections": most},
        verdict=tried[violated].verdict if violated is not None else None,
        measured=sum(map(len, searched.tried.values())),
    )


def _cell(row: Row) -> Cell:
    return Cell(server=row["server"], client=row["client"], workload=row["workload"])
