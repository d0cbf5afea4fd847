"""A run: executes the trials of an experiment one by one and stores their results."""

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from autostrada.contestants.build import Builder
from autostrada.contestants.contestant import Contestant
from autostrada.contestants.provision import provision
from autostrada.engine.process import engine_version
from autostrada.errors import ContestantError, UsageError
from autostrada.experiment.experiment import Experiment
from autostrada.experiment.matrix import attempts
from autostrada.machine.certificates import Certificates
from autostrada.machine.facts import facts
from autostrada.machine.host import Host
from autostrada.machine.idle import IdleWait
from autostrada.machine.process import adopt_orphans, end_orphans, on_cpus
from autostrada.machine.version import version
from autostrada.runner.context import Programs, RunContext, programs_of
from autostrada.runner.forecast import Forecast
from autostrada.runner.isolation import isolation_facts
from autostrada.runner.progress import Progress
from autostrada.runner.queue import Goal, TrialQueue
from autostrada.runner.searches import Searches, searched_cells
from autostrada.runner.trial import TrialContext, meets_objective, run_trial
from autostrada.store.reader import StoreReader
from autostrada.store.record import (
    REFERENCE,
    Attempt,
    Cell,
    ContestantVersion,
    Failure,
    Measurement,
    OtherLoad,
    Resumption,
    Run,
    Trial,
)
from autostrada.store.writer import StoreWriter
from autostrada.workloads.workload import Workload


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """
    The arguments of a run and its seed; with the experiment they fix every attempt.

    The store keeps the plan, so that a run can be resumed.
    """

    contestants: tuple[str, ...]
    repetitions: int
    warm_ups: int
    seed: int
    is_quick: bool = False
    """Whether the workloads have their parameters for quick runs."""

    overrides: tuple[str, ...] = ()
    """Workload parameters overridden on the command line, as given
    (``workload.parameter=value``)."""

    workloads: tuple[str, ...] = ()
    """Names of the workloads to run; empty for all."""

    until_interval: float | None = None
    """Largest half-width of an interval, as a share of the median; ``None`` for no
    adaptive repetition."""

    cpus: tuple[int, ...] | None = None
    """Cores that the run may use; ``None`` for all."""

    @property
    def goal(self) -> Goal | None:
        """
        Return the goal of adaptive repetition.

        Returns ``None`` if every cell has the planned number of repetitions.
        """
        if self.until_interval is None:
            return None
        return Goal(
            half_width_max=self.until_interval,
            repetitions=self.repetitions,
            seed=self.seed,
        )

    def attempts(self, experiment: Experiment) -> list[Attempt]:
        """Return all attempts in order, except those of searches."""
        searched = self.searched(experiment)
        cells = experiment.chosen_cells(self.contestants)
        return list(
            attempts(
                [cell for cell in cells if cell not in searched],
                repetitions=self.repetitions,
                warm_ups=self.warm_ups,
                seed=self.seed,
            )
        )

    def searched(self, experiment: Experiment) -> dict[Cell, Workload]:
        """Return the cells that are or follow searches, with their workloads."""
        cells = experiment.chosen_cells(self.contestants)
        return searched_cells(cells, experiment.points())


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRequest:
    """The experiment of a run, its plan and its store."""

    name: str
    experiment: Experiment
    """The experiment with the parameters for quick runs and the overrides applied."""

    definition: str
    """Text of the experiment's file."""

    published: str
    """Text of the file with the published figures."""

    plan: Plan
    command: str
    store: Path


@dataclass(frozen=True, kw_only=True, slots=True)
class RunEnvironment:
    """The environment of a run: the engine, the machine and the built contestants."""

    engine: Path
    host: Host
    builder: Builder
    contestants: dict[str, Contestant]
    certificates: Certificates | None = None
    """Certificates for workloads over TLS; ``None`` if no workload uses TLS."""


def run_experiment(
    request: RunRequest,
    environment: RunEnvironment,
    progress: Progress,
    resumed: Resumption | None,
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
            run_id = store.start_run(_describe(request, environment))
        else:
            _refuse_changed(request, environment, resumed)
            run_id = resumed.stored.run_id
        programs = _prepare(request, environment, progress, store, run_id, resumed)
        # A daemon that a build left behind must not be attributed to the first trial.
        end_orphans(keep=frozenset())
        if environment.host.is_shared:
            progress.announce("server and client share a core: each delays the other")
        elif not environment.host.is_pinned:
            progress.announce(
                "this system does not let processes choose their cores: server, client "
                "and observer may run on the same core"
            )
        trials = Trials(request, environment, programs, progress)
        with on_cpus(environment.host.observer_cpus):
            trials.carry_out(resumed, lambda trial: store.record_trial(run_id, trial))
    return run_id


class Trials:
    """Executes the trials of a run; each is stored before the next begins."""

    def __init__(
        self,
        request: RunRequest,
        environment: RunEnvironment,
        programs: Mapping[str, Programs],
        progress: Progress,
    ) -> None:
        experiment = request.experiment
        self._context = RunContext(
            experiment=experiment,
            engine=environment.engine,
            host=environment.host,
            certificates=environment.certificates,
        )
        self._attempts = request.plan.attempts(experiment)
        self._searched = request.plan.searched(experiment)
        self._seed = request.plan.seed
        self._goal = request.plan.goal
        self._points = experiment.points()
        self._programs = programs
        self._progress = progress
        self._idle_wait = IdleWait()
        self._expected_ns: dict[Cell, int] = {}

    def carry_out(
        self, resumed: Resumption | None, keep: Callable[[Trial], object]
    ) -> None:
        """
        Execute all remaining trials; call ``keep`` with each of them.

        The planned attempts come first, then searches, then further repetitions of
        cells whose intervals are too wide.
        """
        searches = self._searches(resumed)
        queue = self._queue(resumed, searches)
        todo = queue.todo()
        forecast = Forecast(
            todo,
            planned_s=lambda cell: self._workload(cell, searches).duration_s,
            searches=searches.left_max,
        )
        self._progress.begin(forecast, done=len(queue.done - set(todo)))
        todo = todo or self._further(queue, searches)
        while todo:
            for attempt in todo:
                workload = self._workload(attempt.cell, searches)
                trial = self._make(attempt, workload, queue, keep)
                if found := searches.note(
                    attempt, meets_objective=meets_objective(trial)
                ):
                    self._progress.finish_search(*found, workload.client_processes)
            todo = self._further(queue, searches)
        self._progress.conclude(queue.disturbed, queue.repeated)

    def _searches(self, resumed: Resumption | None) -> Searches:
        searched = {
            cell: workload
            for cell, workload in self._searched.items()
            if self._can_run(cell)
        }
        return Searches(searched, self._seed, resumed.met if resumed else {})

    def _queue(self, resumed: Resumption | None, searches: Searches) -> TrialQueue:
        planned = [each for each in self._attempts if self._can_run(each.cell)]
        made = resumed.attempts if resumed else frozenset()
        searched = {each for each in made if searches.owns(each.cell)}
        return TrialQueue(planned, self._goal, resumed, searched)

    def _workload(self, cell: Cell, searches: Searches) -> Workload:
        """Return the workload of a cell: a point, or a value of a search."""
        if searches.owns(cell):
            return searches.workload(cell)
        return self._points[cell.workload]

    def _can_run(self, cell: Cell) -> bool:
        """Whether both ends were built and speak the same protocol."""
        if not {cell.server, cell.client} <= self._programs.keys():
            return False
        return self._context.endpoints_of(cell, self._programs).has_common_protocol

    def _further(self, queue: TrialQueue, searches: Searches) -> list[Attempt]:
        if todo := searches.round():
            queue.search(todo)
            self._progress.search(todo)
        elif todo := queue.more():
            self._progress.extend(todo)
        return todo

    def _make(
        self,
        attempt: Attempt,
        workload: Workload,
        queue: TrialQueue,
        keep: Callable[[Trial], object],
    ) -> Trial:
        """Run an attempt, with retries if it is disturbed; return its last trial."""
        while True:
            self._progress.start(attempt)
            before_s = time.monotonic()
            idle_state = self._idle_wait.wait_until_idle()
            trial = run_trial(
                self._context,
                attempt,
                workload,
                self._context.endpoints_of(attempt.cell, self._programs),
                TrialContext(
                    retry=queue.retry_of(attempt),
                    other_load=OtherLoad(
                        settled_ns=idle_state.waited_ns, load_before=idle_state.load
                    ),
                    expected_ns=self._expected_ns.get(attempt.cell),
                ),
            )
            if isinstance(trial.outcome, Measurement):
                self._expected_ns[attempt.cell] = trial.outcome.duration_ns
            keep(trial)
            is_repeated = queue.note(attempt, trial)
            self._progress.finish(
                attempt, trial, time.monotonic() - before_s, is_repeated=is_repeated
            )
            if not is_repeated:
                return trial


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
            f"figures would not be comparable; omit --resume to start a new run"
        )
    return found


def plan_of(run: Run) -> Plan:
    """Return the plan of a stored run."""
    document = json.loads(run.plan)
    document["contestants"] = tuple(document["contestants"])
    for key in ("overrides", "workloads"):
        document[key] = tuple(document.get(key, ()))
    if document.get("cpus") is not None:
        document["cpus"] = tuple(document["cpus"])
    return Plan(**document)


def _describe(request: RunRequest, environment: RunEnvironment) -> Run:
    versions = {
        "autostrada_version": version(),
        "engine_version": engine_version(environment.engine),
    }
    isolation = isolation_facts(request.experiment, environment.host)
    return Run(
        experiment=request.name,
        definition=request.definition,
        published=request.published,
        plan=json.dumps(asdict(request.plan)),
        command=request.command,
        started_at=datetime.now(UTC),
        autostrada_version=versions["autostrada_version"],
        host=json.dumps(facts(environment.host) | isolation | versions),
    )


def _refuse_changed(
    request: RunRequest, environment: RunEnvironment, resumed: Resumption
) -> None:
    for name in request.plan.contestants:
        digest = environment.builder.digest(environment.contestants[name])
        if resumed.digests.get(name, digest) != digest:
            raise UsageError(
                f"{name} has changed since run {resumed.stored.run_id} began, so its "
                f"figures would not be comparable; omit --resume to start a new run"
            )


def _prepare(
    request: RunRequest,
    environment: RunEnvironment,
    progress: Progress,
    store: StoreWriter,
    run_id: int,
    resumed: Resumption | None,
) -> dict[str, Programs]:
    """Build and record the contestants; a failed build is recorded as a failure."""
    recorded = resumed.digests if resumed else {}
    failed = resumed.failed if resumed else frozenset()
    names = [name for name in request.plan.contestants if name not in failed]
    builds = {environment.contestants[name].build_name for name in names}
    outcomes = {}
    for each in provision(
        [environment.contestants[name] for name in names],
        environment.builder,
        jobs=len(os.sched_getaffinity(0)),
        begin=lambda build: progress.announce(f"building {build}"),
    ):
        outcomes[each.contestant.build_name] = each.outcome
        progress.step("building contestants", len(outcomes), len(builds))
    programs: dict[str, Programs] = {REFERENCE: {}}
    if REFERENCE not in recorded:
        store.record_contestant(run_id, _reference_version(environment.engine))
    for name in names:
        contestant = environment.contestants[name]
        digest = environment.builder.digest(contestant)
        built = outcomes[contestant.build_name]
        if isinstance(built, ContestantError):
            failure = Failure(
                kind=built.kind, message=str(built), stderr_tail=built.stderr_tail
            )
            if name not in recorded:
                store.record_contestant(run_id, _version(contestant, digest))
            store.record_contestant_failure(run_id, name, failure)
            progress.exclude(name, failure)
            continue
        programs[name] = programs_of(contestant, built.folder)
        if name not in recorded:
            made = _version(contestant, digest, built.version, built.toolchain)
            store.record_contestant(run_id, made)
    return programs


def _version(
    contestant: Contestant,
    digest: str,
    library_version: str | None = None,
    toolchain: str | None = None,
) -> ContestantVersion:
    client = contestant.manifest.client
    return ContestantVersion(
        contestant=contestant.name,
        library=contestant.manifest.library,
        language=contestant.manifest.language,
        homepage=contestant.manifest.homepage,
        version=library_version,
        toolchain=toolchain,
        digest=digest,
        delivers=client.delivers if client else None,
        validates_utf8=client.validates_utf8 if client else None,
    )


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
