"""A run: executes the trials of an experiment one by one and stores their results."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from autostrada.contestants.build import Builder, Built
from autostrada.contestants.conformance import failed_cases
from autostrada.contestants.contestant import ROLES, Client, Contestant, Server
from autostrada.contestants.provision import provision
from autostrada.engine.process import engine_version
from autostrada.errors import ContestantError, UsageError
from autostrada.experiment.experiment import Experiment
from autostrada.experiment.next_round import NextRound
from autostrada.machine.facts import facts
from autostrada.machine.orphans import adopt_orphans, end_orphans
from autostrada.machine.process import on_cpus
from autostrada.machine.version import version
from autostrada.runner.context import BuiltContestant, RunContext
from autostrada.runner.execution import TrialExecutor
from autostrada.runner.isolation import isolation_facts
from autostrada.runner.measuring import measuring_digest, superseded
from autostrada.runner.progress import Progress
from autostrada.runner.request import RunEnvironment, RunRequest
from autostrada.store.reader import StoreReader
from autostrada.store.record import (
    REFERENCE,
    Attempt,
    ContestantVersion,
    Failure,
    Resumption,
    Run,
)
from autostrada.store.writer import StoreWriter
from autostrada.workloads.workload import Workload

Undecided = Callable[[StoreReader, int], Sequence[NextRound]]
"""Returns the rounds that may decide a claim of a run, by what the store holds."""


def run_experiment(
    request: RunRequest,
    environment: RunEnvironment,
    progress: Progress,
    resumed: Resumption | None,
    undecided: Undecided,
) -> int:
    """
    Execute a run, or the rest of a resumed run; return its number in the store.

    Each trial is stored before the next one begins: an interruption loses only the
    trial in progress.

    Raises:
        UsageError: a contestant has changed since the run began, or the machine cannot
            build it; no trial has been made.
        EngineError: the engine or the machine failed; the run stops.
    """
    adopt_orphans()
    with StoreWriter.create_or_open(request.store) as store:
        if resumed is None:
            if request.experiment.server_host:
                progress.announce("measuring the host of the servers")
            run_id = store.start_run(_describe(request, environment.context))
            if request.add_to:
                _take_over(request.add_to, request, environment, store, run_id)
        else:
            _refuse_changed(request, environment, resumed)
            run_id = resumed.stored.run_id
        progress.enter(store.reader, run_id)
        built = _prepare(request, environment, progress, store, run_id, resumed)
        # A daemon that a build left behind must not be attributed to the first trial.
        end_orphans(keep=frozenset())
        host, client_hosts = environment.context.host, environment.context.client_hosts
        if host.is_shared and client_hosts is None:
            progress.announce("server and client share a core: each delays the other")
        elif not host.is_pinned:
            progress.announce(
                "this system does not let processes choose their cores: server, client "
                "and observer may run on the same core"
            )
        if request.add_to:
            resumed = store.reader().resumption(request.file.name)
        trials = TrialExecutor(request, environment.context, built, progress, resumed)
        with on_cpus(host.observer_cpus):
            trials.carry_out(
                lambda trial: store.record_trial(run_id, trial),
                lambda: undecided(store.reader(), run_id),
                partial(_at_load, store, run_id, request.experiment),
            )
    return run_id


def _take_over(
    archive: Path,
    request: RunRequest,
    environment: RunEnvironment,
    store: StoreWriter,
    run_id: int,
) -> None:
    """Copy the trials of an archived run into a new one, which continues it."""
    digests = {
        name: environment.builder.digest(environment.contestants[name])
        for name in request.plan.contestants
    }
    engine = engine_version(environment.context.engine)
    reasons = superseded(archive, request.experiment, digests, engine)
    store.take_over(archive, run_id, reasons)


def _at_load(
    store: StoreWriter,
    run_id: int,
    experiment: Experiment,
    attempt: Attempt,
    workload: Workload,
) -> Workload:
    """
    Return a workload with the load, or the host, that other cells of the run decide.

    It stays as it is if these have not been measured: in the same round if they precede
    it there, else in any.
    """
    reader = store.reader()
    preceding = experiment.preceding_cells().get(attempt.cell, ())

    def measured(source: str, metric: str) -> float | None:
        cell = experiment.source_of(attempt.cell, source)
        if cell in preceding:
            return reader.value(run_id, replace(attempt, cell=cell), metric)
        return reader.median(run_id, cell, metric)

    if source := workload.rate_source:
        rate_per_s = measured(source, "achieved_per_s")
        workload = workload.at_rate(rate_per_s) if rate_per_s else workload
    if source := workload.host_source:
        used = measured(source, "server_cpu_utilization")
        workload = workload.on_host(used) if used else workload
    return workload


def resumable(name: str, definition: str, store: Path) -> Resumption:
    """
    Return the state of the newest run of an experiment, to resume it.

    Raises:
        UsageError: there is no such run, or the experiment's file has changed since.
    """
    with StoreReader.open(store) as reader:
        found = reader.resumption(name)
    if found is None:
        raise UsageError(f"{store} holds no run of {name} to resume; omit --resume")
    if found.stored.run.definition != definition:
        raise UsageError(
            f"{name} has changed since run {found.stored.run_id} began, so its "
            f"results would not be comparable; omit --resume to start a new run"
        )
    return found


def _describe(request: RunRequest, context: RunContext) -> Run:
    versions = {
        "autostrada_version": version(),
        "engine_version": engine_version(context.engine),
        "measuring_digest": measuring_digest(engine_version(context.engine)),
    }
    isolation = isolation_facts(request.experiment, context.host)
    machine = facts(context.host)
    if hosts := context.client_hosts:
        del machine["client_cpus"]
        machine["client_hosts"] = ", ".join(hosts.names)
        machine["client_clock_error_us"] = round(hosts.clock_error_ns / 1e3)
    return Run(
        experiment=request.file.name,
        definition=request.file.definition,
        published=request.file.published,
        plan=json.dumps(asdict(request.plan)),
        command=request.command,
        started_at=datetime.now(UTC),
        autostrada_version=versions["autostrada_version"],
        host=json.dumps(machine | isolation | versions),
    )


def _refuse_changed(
    request: RunRequest, environment: RunEnvironment, resumed: Resumption
) -> None:
    for name in request.plan.contestants:
        digest = environment.builder.digest(environment.contestants[name])
        if resumed.digests.get(name, digest) != digest:
            raise UsageError(
                f"{name} has changed since run {resumed.stored.run_id} began, so its "
                f"results would not be comparable; omit --resume to start a new run"
            )


def _prepare(
    request: RunRequest,
    environment: RunEnvironment,
    progress: Progress,
    store: StoreWriter,
    run_id: int,
    resumed: Resumption | None,
) -> dict[str, BuiltContestant | None]:
    """Build and record the contestants; a failed build is recorded as a failure."""
    recorded = resumed.digests if resumed else {}
    failed = resumed.failed if resumed else frozenset()
    names = [name for name in request.plan.contestants if name not in failed]
    builds = {environment.contestants[name].build_name for name in names}
    outcomes = {}
    for provided in provision(
        [environment.contestants[name] for name in names],
        environment.builder,
        begin=lambda build: progress.announce(f"building {build}"),
    ):
        outcomes[provided.contestant.build_name] = provided.outcome
        progress.step("building contestants", len(outcomes), len(builds))
    ready: dict[str, BuiltContestant | None] = {REFERENCE: None}
    if REFERENCE not in recorded:
        store.record_contestant(run_id, _reference_version(environment.context.engine))
    for name in names:
        contestant = environment.contestants[name]
        outcome = outcomes[contestant.build_name]
        if name not in recorded:
            made = _version(contestant, outcome, environment.builder)
            store.record_contestant(run_id, made)
        if isinstance(outcome, Built):
            ready[name] = BuiltContestant(contestant=contestant, folder=outcome.folder)
            continue
        failure = Failure(
            kind=outcome.kind, message=str(outcome), stderr_tail=outcome.stderr_tail
        )
        store.record_contestant_failure(run_id, name, failure)
        progress.exclude(name, failure)
    return ready


def _version(
    contestant: Contestant, outcome: Built | ContestantError, builder: Builder
) -> ContestantVersion:
    manifest = contestant.manifest
    programs = (("client", manifest.client), ("server", manifest.server))
    settings = {
        role: _settings(program)
        for role, program in programs
        if program and not contestant.variant
    }
    built = outcome if isinstance(outcome, Built) else None
    return ContestantVersion(
        contestant=contestant.name,
        library=manifest.library,
        language=manifest.language,
        homepage=manifest.homepage,
        version=built.version if built else None,
        toolchain=built.toolchain if built else None,
        digest=builder.digest(contestant),
        delivers=manifest.client.delivers if manifest.client else None,
        validates_utf8=manifest.client.validates_utf8 if manifest.client else None,
        settings=json.dumps(settings),
        failed_cases=_failed_cases(contestant, builder) if built else None,
    )


def _settings(program: Client | Server) -> dict[str, str]:
    """Return the settings that decide a rank, its warm-up included, in words."""
    settings = {str(name): value for name, value in program.settings.items()}
    if program.warm_up_s:
        settings["warm_up"] = f"{program.warm_up_s:g} s"
    return settings


def _failed_cases(contestant: Contestant, builder: Builder) -> str:
    """Return the failed cases of the roles that were tested, as JSON."""
    found = {role: failed_cases(builder, contestant, role) for role in ROLES}
    return json.dumps({role: each for role, each in found.items() if each is not None})


def _reference_version(engine: Path) -> ContestantVersion:
    return ContestantVersion(
        contestant=REFERENCE,
        library="autostrada-engine load",
        language="rust",
        homepage="",
        version=engine_version(engine),
        toolchain=None,
        digest="",
    )
