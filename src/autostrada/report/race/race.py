"""The results of a run as values: what page, charts and terminal show alike."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from autostrada.experiment.experiment import Experiment, parse_experiment
from autostrada.experiment.matrix import REFERENCE
from autostrada.report.circumstance.attempt import (
    Disturbance,
    FailedAttempt,
    disturbance_of,
    failed_attempt,
)
from autostrada.report.circumstance.calibration import calibration_of
from autostrada.report.evidence import read_evidence
from autostrada.report.query import ask
from autostrada.report.race.explanation.trace import Traces, read_traces
from autostrada.stats.evidence import Evidence
from autostrada.stats.interval import Interval, median_interval
from autostrada.stats.rank import shared_ranks
from autostrada.stats.ratio import Ratio, median_ratio
from autostrada.stats.variation import coefficient_of_variation
from autostrada.stats.verdict import Verdict, judge_cell
from autostrada.store.reader import Row, StoreReader
from autostrada.store.record import (
    Calibration,
    ContestantVersion,
    Run,
)
from autostrada.workloads.push import Push


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """
    What the counted trials of one contestant in one workload say.

    Durations are nanoseconds a message, which is the same number as milliseconds per
    1,000,000 messages.
    """

    ns_per_message: tuple[float, ...]
    interval: Interval
    verdict: Verdict
    engine_busy_share: float
    """Of the time, as the server; the median."""

    client_cpu_ns_per_message: float | None
    client_peak_resident_bytes: float | None
    rank: int | None
    """
    From 1, shared where indistinguishable. The reference has none, and one sample
    establishes none.
    """

    to_fastest: Ratio | None
    """None for the reference."""

    to_reference: Ratio | None
    """None for the reference, and where it was not measured."""

    @property
    def messages_per_s(self) -> float:
        """The rate that the median duration means."""
        return 1e9 / self.interval.median

    @property
    def messages_per_cpu_s(self) -> float | None:
        """How many messages the client takes in a second of CPU time; None unknown."""
        cpu_ns = self.client_cpu_ns_per_message
        return 1e9 / cpu_ns if cpu_ns else None

    @property
    def variation(self) -> float | None:
        """How far the repetitions scatter; None for one."""
        return coefficient_of_variation(self.ns_per_message)


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """One contestant in one workload, with figures, failures, or both."""

    contestant: str
    version: ContestantVersion | None
    figures: Figures | None
    failures: tuple[FailedAttempt, ...]
    disturbances: tuple[Disturbance, ...]
    missing: int
    """Repetitions that were planned and neither measured nor failed."""

    @property
    def is_reference(self) -> bool:
        """Whether it is the engine's own client, the upper bound."""
        return self.contestant == REFERENCE


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranking:
    """One workload: the reference apart, then the fastest first, the failed last."""

    workload: Push
    messages: int
    """How many each trial sent; as planned where none succeeded."""

    reference: Standing | None
    standings: tuple[Standing, ...]

    @property
    def every(self) -> list[Standing]:
        """The reference, where it takes part, and the others."""
        return [*([self.reference] if self.reference else []), *self.standings]

    @property
    def measured(self) -> list[tuple[Standing, Figures]]:
        """Those with figures, the fastest first, without the reference."""
        return [(each, each.figures) for each in self.standings if each.figures]


@dataclass(frozen=True, kw_only=True, slots=True)
class Race:
    """One run, read from the store and computed from samples alone."""

    run_id: int
    run: Run
    experiment: Experiment
    host: Mapping[str, object]
    repetitions: int
    warm_ups: int
    rankings: tuple[Ranking, ...]
    versions: tuple[ContestantVersion, ...]
    calibration: Calibration | None
    """Of the engine on this machine; ``None`` where there is none."""

    traces: Traces
    """Of what was measured."""

    series: Sequence[Row]
    trials: Sequence[Row]

    @property
    def disturbances(self) -> list[Disturbance]:
        """All that the machine disturbed, warm-ups left out."""
        return [
            each
            for ranking in self.rankings
            for standing in ranking.every
            for each in standing.disturbances
        ]

    @property
    def counted_trials(self) -> int:
        """How many trials were made, warm-ups left out."""
        return sum(not row["is_warm_up"] for row in self.trials)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Attempts:
    """What went wrong in one workload, by contestant, and how much was planned."""

    failed: Mapping[str, tuple[FailedAttempt, ...]]
    """With an entry for each contestant of the run."""

    disturbed: Mapping[str, tuple[Disturbance, ...]]
    repetitions: int


def read_race(reader: StoreReader, run_id: int | None = None) -> Race:
    """Read one run, the newest where no number is given."""
    stored = reader.run(run_id)
    run = stored.run
    experiment = parse_experiment(run.definition, origin=f"run {stored.run_id}")
    plan = json.loads(run.plan)
    versions = tuple(reader.contestants(stored.run_id))
    cells = ask(reader, "cells", stored.run_id)
    evidence = read_evidence(reader, stored.run_id)
    failures = ask(reader, "failures", stored.run_id)
    disturbances = ask(reader, "disturbances", stored.run_id)
    names = {version.contestant for version in versions}
    names |= {row["contestant"] for row in failures} | set(plan["contestants"])
    invited = _invited(experiment, names)
    return Race(
        run_id=stored.run_id,
        run=run,
        experiment=experiment,
        host=json.loads(run.host),
        repetitions=plan["repetitions"],
        warm_ups=plan["warm_ups"],
        rankings=tuple(
            _ranking(
                workload,
                {version.contestant: version for version in versions},
                {row["contestant"]: row for row in cells if _is_of(row, workload)},
                {
                    cell.client: each
                    for cell, each in evidence.items()
                    if cell.workload == workload.name
                },
                _Attempts(
                    failed=_failed_attempts(
                        failures, workload, names & invited[workload.name]
                    ),
                    disturbed=_disturbances(disturbances, workload),
                    repetitions=plan["repetitions"],
                ),
            )
            for workload in experiment.workload
            if isinstance(workload, Push)
        ),
        versions=versions,
        calibration=calibration_of(run, versions, reader.calibrations()),
        traces=read_traces(reader, stored.run_id),
        series=ask(reader, "series", stored.run_id),
        trials=ask(reader, "trials", stored.run_id),
    )


def _is_of(row: Row, workload: Push) -> bool:
    return bool(row["workload"] == workload.name)


def _invited(experiment: Experiment, names: set[str]) -> Mapping[str, set[str]]:
    """Return, by workload, whom its cells are of, whoever else was chosen with them."""
    invited = defaultdict(set)
    for cell in experiment.chosen_cells(names):
        invited[cell.workload].add(cell.client)
    return invited


def _failed_attempts(
    failures: Sequence[Row], workload: Push, names: set[str]
) -> dict[str, tuple[FailedAttempt, ...]]:
    """Return each contestant's failures in a workload, or as a whole."""
    failed = defaultdict(list)
    for row in failures:
        if row["workload"] is None or _is_of(row, workload):
            failed[row["contestant"]].append(failed_attempt(row))
    return {name: tuple(failed[name]) for name in names}


def _disturbances(
    rows: Sequence[Row], workload: Push
) -> dict[str, tuple[Disturbance, ...]]:
    """Return, for each contestant that has any, its disturbed trials."""
    disturbed = defaultdict(list)
    for row in rows:
        if _is_of(row, workload):
            disturbed[row["contestant"]].append(disturbance_of(row))
    return {name: tuple(each) for name, each in disturbed.items()}


def _ranking(
    workload: Push,
    versions: Mapping[str, ContestantVersion],
    cells: Mapping[str, Row],
    evidence: Mapping[str, Sequence[Evidence]],
    attempts: _Attempts,
) -> Ranking:
    figures = _figures(cells, evidence)
    standings = {
        name: Standing(
            contestant=name,
            version=versions.get(name),
            figures=figures.get(name),
            failures=failed,
            disturbances=attempts.disturbed.get(name, ()),
            missing=_missing(figures.get(name), failed, attempts.repetitions),
        )
        for name, failed in attempts.failed.items()
    }
    reference = standings.pop(REFERENCE, None)
    return Ranking(
        workload=workload,
        messages=max(
            (row["messages"] for row in cells.values()), default=workload.messages
        ),
        reference=reference,
        standings=tuple(sorted(standings.values(), key=_fastest_first)),
    )


def _fastest_first(standing: Standing) -> tuple[float, str]:
    figures = standing.figures
    return (figures.interval.median if figures else float("inf"), standing.contestant)


def _missing(
    figures: Figures | None, failures: tuple[FailedAttempt, ...], repetitions: int
) -> int:
    if any(failed.repetition is None for failed in failures):
        return 0
    measured = len(figures.ns_per_message) if figures else 0
    failed = sum(failed.is_counted for failed in failures)
    return max(0, repetitions - measured - failed)


def _figures(
    cells: Mapping[str, Row], evidence: Mapping[str, Sequence[Evidence]]
) -> dict[str, Figures]:
    """Compute the figures of one workload from the samples of its cells."""
    samples = {name: row["ns_per_message"] for name, row in cells.items()}
    reference = samples.get(REFERENCE)
    libraries = {name: each for name, each in samples.items() if name != REFERENCE}
    ranks = shared_ranks(libraries)
    fastest = libraries[next(iter(ranks))] if ranks else None
    return {
        name: Figures(
            ns_per_message=tuple(samples[name]),
            interval=median_interval(samples[name]),
            verdict=judge_cell(evidence[name]),
            engine_busy_share=median(
                each.server.busy_share
                for each in evidence[name]
                if each.server.busy_share is not None
            ),
            client_cpu_ns_per_message=row["client_cpu_ns_per_message"],
            client_peak_resident_bytes=row["client_peak_resident_bytes"],
            rank=ranks.get(name) if len(samples[name]) > 1 else None,
            to_fastest=(
                median_ratio(samples[name], fastest)
                if fastest and name in libraries
                else None
            ),
            to_reference=(
                median_ratio(samples[name], reference)
                if reference and name in libraries
                else None
            ),
        )
        for name, row in cells.items()
    }
