"""A run: everything an experiment asks for, one trial after another, into the store."""

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from autostrada.contestants.build import Workshop
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
    Quiet,
    Resumption,
    Run,
    Trial,
)
from autostrada.store.writer import StoreWriter
from autostrada.workloads.workload import Workload


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What the command line made of an experiment; it fixes every attempt."""

    contestants: tuple[str, ...]
    repetitions: int
    warm_ups: int
    seed: int
    is_quick: bool = False
    """Whether workloads are as the experiment has them for a quick run."""

    overrides: tuple[str, ...] = ()
    """Parameters of workloads that are others, as they were given."""

    workloads: tuple[str, ...] = ()
    """The only workloads that are run; without any, all."""

    until_interval: float | None = None
    """The widest half of an interval that is good enough, as a share of its median."""

    cpus: tuple[int, ...] | None = None
    """The cores that may be used; ``None`` for all."""

    @property
    def goal(self) -> Goal | None:
        """Return up to when cells are repeated beyond what is planned, if they are."""
        if self.until_interval is None:
            return None
        return Goal(
            half_width_max=self.until_interval,
            repetitions=self.repetitions,
            seed=self.seed,
        )

    def attempts(self, experiment: Experiment) -> list[Attempt]:
        """Return all attempts in order, but for those of searches."""
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
        """Return the cells of searches, with their workloads."""
        cells = experiment.chosen_cells(self.contestants)
        return searched_cells(cells, experiment.points())


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """What a run needs to know; ``definition`` and ``published`` are files' texts."""

    name: str
    experiment: Experiment
    """As it is run: quick, and with other parameters, where the plan says so."""

    definition: str
    published: str
    plan: Plan
    command: str
    store: Path


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """Where a run takes place: the engine, the machine, the contestants' workshop."""

    engine: Path
    host: Host
    workshop: Workshop
    contestants: dict[str, Contestant]
    certificates: Certificates | None = None
    """Of servers that speak TLS, where any does."""


def run_experiment(
    order: Order, setting: Setting, progress: Progress, resumed: Resumption | None
) -> int:
    """
    Carry out a run, or what is left of one; return its number in the store.

    Each trial is in the store when the next one begins. What is interrupted loses the
    trial in flight and nothing else.

    Raises:
        UsageError: a contestant has changed since the run began, or cannot be built
            because of the machine; no trial has been made.
        EngineError: later trials would be worthless.
    """
    adopt_orphans()
    with StoreWriter.create_or_open(order.store) as store:
        if resumed is None:
            run_id = store.start_run(_describe(order, setting))
        else:
            _refuse_changed(order, setting, resumed)
            run_id = resumed.stored.run_id
        programs = _prepare(order, setting, progress, store, run_id, resumed)
        # A build may leave a daemon behind. The first trial must not be blamed for it.
        end_orphans(keep=frozenset())
        if setting.host.is_shared:
            progress.announce("server and client share a core: each delays the other")
        elif not setting.host.is_pinned:
            progress.announce("no cores can be chosen here: nothing is kept apart")
        trials = Trials(order, setting, programs, progress)
        with on_cpus(setting.host.observer_cpus):
            trials.carry_out(resumed, lambda trial: store.record_trial(run_id, trial))
    return run_id


class Trials:
    """The trials of a run, one after another: each is kept before the next begins."""

    def __init__(
        self,
        order: Order,
        setting: Setting,
        programs: Mapping[str, Programs],
        progress: Progress,
    ) -> None:
        experiment = order.experiment
        self._context = RunContext(
            experiment=experiment,
            engine=setting.engine,
            host=setting.host,
            certificates=setting.certificates,
        )
        self._attempts = order.plan.attempts(experiment)
        self._searched = order.plan.searched(experiment)
        self._seed = order.plan.seed
        self._goal = order.plan.goal
        self._points = experiment.points()
        self._programs = programs
        self._progress = progress
        self._idle_wait = IdleWait()
        self._expected_ns: dict[Cell, int] = {}

    def carry_out(
        self, resumed: Resumption | None, keep: Callable[[Trial], object]
    ) -> None:
        """
        Make all that are left, and further rounds while there is reason to.

        Searches begin when all that is planned was tried. Intervals that are too wide
        come last.
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
                    self._progress.find(*found, workload.client_processes)
            todo = self._further(queue, searches)
        self._progress.conclude(queue.disturbed, queue.repeated)

    def _searches(self, resumed: Resumption | None) -> Searches:
        searched = {
            cell: workload
            for cell, workload in self._searched.items()
            if self._can_meet(cell)
        }
        return Searches(searched, self._seed, resumed.met if resumed else {})

    def _queue(self, resumed: Resumption | None, searches: Searches) -> TrialQueue:
        planned = [each for each in self._attempts if self._can_meet(each.cell)]
        made = resumed.attempts if resumed else frozenset()
        searched = {each for each in made if searches.owns(each.cell)}
        return TrialQueue(planned, self._goal, resumed, searched)

    def _workload(self, cell: Cell, searches: Searches) -> Workload:
        """Return what is done in a cell, be it a point or a value of a search."""
        if searches.owns(cell):
            return searches.workload(cell)
        return self._points[cell.workload]

    def _can_meet(self, cell: Cell) -> bool:
        """Whether both ends could be built, and speak the same."""
        if not {cell.server, cell.client} <= self._programs.keys():
            return False
        return self._context.endpoints_of(cell, self._programs).can_meet

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
        """Try an attempt, again where the machine disturbed it; return the last try."""
        while True:
            self._progress.start(attempt)
            before_s = time.monotonic()
            settled = self._idle_wait.wait_until_idle()
            trial = run_trial(
                self._context,
                attempt,
                workload,
                self._context.endpoints_of(attempt.cell, self._programs),
                TrialContext(
                    retry=queue.retry_of(attempt),
                    quiet=Quiet(settled_ns=settled.waited_ns, load_before=settled.load),
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


def resumable(order_name: str, definition: str, store: Path) -> Resumption:
    """
    Return the newest run of an experiment, to go on with.

    Raises:
        UsageError: there is none, or the experiment's file has changed since.
    """
    with StoreReader.open(store) as reader:
        found = reader.resumption(order_name)
    if found is None:
        raise UsageError(
            f"{store} holds no run of {order_name} to go on with; leave out --resume"
        )
    if found.stored.run.definition != definition:
        raise UsageError(
            f"{order_name} has changed since run {found.stored.run_id} began, and its "
            f"figures would not compare; leave out --resume to begin a new run"
        )
    return found


def plan_of(run: Run) -> Plan:
    """Return the plan that a run was begun with."""
    document = json.loads(run.plan)
    document["contestants"] = tuple(document["contestants"])
    for key in ("overrides", "workloads"):
        document[key] = tuple(document.get(key, ()))
    if document.get("cpus") is not None:
        document["cpus"] = tuple(document["cpus"])
    return Plan(**document)


def _describe(order: Order, setting: Setting) -> Run:
    versions = {
        "autostrada_version": version(),
        "engine_version": engine_version(setting.engine),
    }
    return Run(
        experiment=order.name,
        definition=order.definition,
        published=order.published,
        plan=json.dumps(asdict(order.plan)),
        command=order.command,
        started_at=datetime.now(UTC),
        autostrada_version=versions["autostrada_version"],
        host=json.dumps(facts(setting.host) | versions),
    )


def _refuse_changed(order: Order, setting: Setting, resumed: Resumption) -> None:
    for name in order.plan.contestants:
        digest = setting.workshop.digest(setting.contestants[name])
        if resumed.digests.get(name, digest) != digest:
            raise UsageError(
                f"{name} has changed since run {resumed.stored.run_id} began, and its "
                f"figures would not compare; leave out --resume to begin a new run"
            )


def _prepare(
    order: Order,
    setting: Setting,
    progress: Progress,
    store: StoreWriter,
    run_id: int,
    resumed: Resumption | None,
) -> dict[str, Programs]:
    """Build what is to run; whoever cannot be built becomes a row that says why."""
    recorded = resumed.digests if resumed else {}
    failed = resumed.failed if resumed else frozenset()
    names = [name for name in order.plan.contestants if name not in failed]
    outcomes = {
        each.contestant.folder: each.outcome
        for each in provision(
            [setting.contestants[name] for name in names],
            setting.workshop,
            jobs=len(os.sched_getaffinity(0)),
            begin=lambda folder: progress.announce(f"building {folder}"),
        )
    }
    programs: dict[str, Programs] = {REFERENCE: {}}
    if REFERENCE not in recorded:
        store.record_contestant(run_id, _reference_version(setting.engine))
    for name in names:
        contestant = setting.contestants[name]
        digest = setting.workshop.digest(contestant)
        built = outcomes[contestant.folder]
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
    return ContestantVersion(
        contestant=contestant.name,
        library=contestant.manifest.library,
        language=contestant.manifest.language,
        homepage=contestant.manifest.homepage,
        version=library_version,
        toolchain=toolchain,
        digest=digest,
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
