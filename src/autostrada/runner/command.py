"""The command ``autostrada run``: checks its arguments, then runs the experiment."""

import json
import random
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from autostrada.contestants.build import Builder
from autostrada.contestants.catalog import Catalog, choose, find_catalog
from autostrada.contestants.contestant import ROLES, Contestant
from autostrada.engine.process import find_engine
from autostrada.errors import AutostradaError, UsageError
from autostrada.experiment.experiment import Experiment
from autostrada.experiment.override import experiment_for_run
from autostrada.experiment.sides import ComparedSides
from autostrada.hosts.clients import ClientHosts
from autostrada.hosts.place import Place
from autostrada.machine.certificates import Certificates, temporary_certificates
from autostrada.machine.host import Host, join, parse_cpus
from autostrada.runner.context import RunContext, fitting_workloads
from autostrada.runner.isolation import expect_isolation, host_of
from autostrada.runner.progress import Progress, ProgressBar
from autostrada.runner.request import Plan, RunEnvironment, RunRequest, plan_of
from autostrada.runner.run import Undecided, resumable, run_experiment
from autostrada.stats import equivalence, sequential
from autostrada.store.file import is_archive, make_writable
from autostrada.store.reader import StoreReader
from autostrada.store.record import Resumption


@dataclass(frozen=True, kw_only=True, slots=True)
class RunOptions:
    """Arguments of ``autostrada run``; ``None`` selects the experiment's value."""

    experiment: str
    resume: bool = False
    only: tuple[str, ...]
    repetitions: int | None = None
    is_quick: bool = False
    seed: int | None
    budget: str | None
    cpus: str | None = None
    contestants: Path | None = None
    store: Path
    page: Path | None = None
    is_verbose: bool = False
    """Whether the log is printed although the output is a terminal."""

    add_to: Path | None = None
    """Archived run whose trials the new run continues; ``None`` for a new one."""

    place: Place | None = None
    """Where the clients are; ``None`` for this machine."""

    overrides: tuple[str, ...] = ()
    """Workload parameters to override, as given (``workload.parameter=value``)."""

    workloads: tuple[str, ...] = ()
    """Names of the workloads to run; empty for all."""

    sides: ComparedSides | None = None
    """The two contestants that the run compares; ``None`` if it compares all."""

    @property
    def has_run_settings(self) -> bool:
        """Whether an argument is given that conflicts with ``--resume``."""
        chosen = (self.repetitions, self.seed, self.cpus)
        is_other = self.is_quick or bool(self.overrides or self.workloads)
        return is_other or any(value is not None for value in chosen)


LONG_WARM_UP_S = 5.0
"""Warm-up, in seconds, above which a contestant takes part in every second start."""

Prepare = Callable[[Progress], None]
"""Called once after all checks, immediately before a run begins."""


def run_command(
    options: RunOptions, prepare: Prepare, undecided: Undecided
) -> tuple[int, Path | None]:
    """Run an experiment; see ``run_contestants``."""
    catalog = find_catalog(options.contestants)
    return run_contestants(options, catalog, catalog.contestants(), prepare, undecided)


def run_contestants(
    options: RunOptions,
    catalog: Catalog,
    contestants: dict[str, Contestant],
    prepare: Prepare,
    undecided: Undecided,
) -> tuple[int, Path | None]:
    """
    Run an experiment; return its number in the store, and the file of its log.

    ``contestants`` are all by name, of which the run chooses. The log has a line for
    each trial; it is ``None`` if the lines were printed.

    Raises:
        UsageError: the arguments are invalid; nothing has been run or changed.
    """
    request, resumed = run_request(options, catalog, contestants)
    host = _host(request, options)
    expect_isolation(request.experiment)
    expect_place(request, options.place)
    request, left_out = placeable(request, host, named=options.workloads)
    notes = [f"left out: {note}" for note in left_out]
    if options.place:
        request, sliced = without_slices(request)
        if sliced:
            notes.append(
                f"not in slices, because clients are on other hosts: "
                f"{', '.join(sliced)}"
            )
    for path in (options.store, options.page or options.store):
        make_writable(path)
    progress, log = _progress(options, request.file.name)
    try:
        with (
            _client_hosts(request, options, resumed) as client_hosts,
            _certificates(request.experiment, client_hosts) as certificates,
        ):
            for note in notes:
                progress.announce(note)
            prepare(progress)
            context = RunContext(
                experiment=request.experiment,
                engine=find_engine(),
                host=host,
                certificates=certificates,
                client_hosts=client_hosts,
            )
            builder = Builder.of(catalog)
            environment = RunEnvironment(
                context=context, builder=builder, contestants=contestants
            )
            run_id = run_experiment(request, environment, progress, resumed, undecided)
    except KeyboardInterrupt:
        progress.warn("interrupted; finished trials are stored: use --resume")
        raise
    except AutostradaError:
        if log:
            progress.warn(f"log: {log}")
        raise
    finally:
        progress.close()
    return run_id, log


def expect_place(request: RunRequest, place: Place | None) -> None:
    """
    Check that the clients of a run may be where they are wanted.

    Raises:
        UsageError: they may not; the message has the remedy.
    """
    experiment, name = request.experiment, request.file.name
    if place is None:
        if "same host" not in experiment.ends:
            raise UsageError(
                f"{name} needs clients on other hosts: add --place clients=others"
            )
        return
    if "apart" not in experiment.ends or experiment.network == "bridge":
        raise UsageError(f"{name} needs both ends on one host: omit --place")
    for workload in experiment.workload:
        if workload.needs_client_observed:
            raise UsageError(
                f"workload {workload.name!r} needs the CPU time of its clients, which "
                f"is known on this machine only: omit --place, or choose others with "
                f"--workload"
            )


def _progress(options: RunOptions, name: str) -> tuple[Progress, Path | None]:
    """Return the progress of a run, and its log file if the terminal has a bar."""
    terminal = Console(stderr=True)
    if options.is_verbose or not terminal.is_terminal:
        return Progress(terminal), None
    path = options.store.with_name(f"{name}.log")
    make_writable(path)
    file = path.open("a" if options.resume else "w", encoding="utf-8")
    return ProgressBar(terminal, Console(file=file)), path


def _certificates(
    experiment: Experiment, hosts: ClientHosts | None
) -> AbstractContextManager[Certificates | None]:
    """Create temporary certificates if a workload of the experiment uses TLS."""
    if not experiment.has_tls:
        return nullcontext()
    return temporary_certificates(*([hosts.server_address] if hosts else ()))


@contextmanager
def _client_hosts(
    request: RunRequest, options: RunOptions, resumed: Resumption | None
) -> Iterator[ClientHosts | None]:
    """Connect to the hosts of clients, if they are not on this machine."""
    with (
        options.place.taken(find_engine()) if options.place else nullcontext() as hosts
    ):
        if resumed:
            began = json.loads(resumed.stored.run.host).get("client_hosts")
            now = ", ".join(hosts.names) if hosts else None
            if now != began:
                where = f"hosts {began}" if began else "this machine"
                raise UsageError(
                    f"the clients of run {resumed.stored.run_id} are on {where}: give "
                    f"the same --place, or omit --resume to start a new run"
                )
        yield hosts


def run_request(
    options: RunOptions, catalog: Catalog, contestants: dict[str, Contestant]
) -> tuple[RunRequest, Resumption | None]:
    """
    Return the definition of a run, and its earlier results if it is resumed.

    Raises:
        UsageError: the arguments are invalid, or there is no run to resume.
    """
    found = catalog.experiment(options.experiment)
    is_continued = options.resume or options.add_to
    if is_continued and (options.only or options.has_run_settings):
        raise UsageError(
            "--resume and --add-to continue a run with its own settings: omit "
            "--contestant, --workload, --repetitions, --quick, --set, --seed and --cpus"
        )
    if options.resume and options.add_to:
        raise UsageError(
            "--add-to begins a run, which --resume continues: give one of them"
        )
    if options.resume:
        resumed = resumable(found.name, found.definition, options.store)
        plan = plan_of(resumed.stored.run)
        experiment = _changed(found.experiment, plan)
        choose(plan.contestants, contestants, experiment)
    else:
        resumed = None
        archived = _repetitions_of(options.add_to, found.name) if options.add_to else 0
        experiment = _changed(found.experiment, options)
        seed = random.SystemRandom().randrange(2**32)
        budget_s = _budget_s(options, experiment)
        names = choose(options.only or experiment.contestants, contestants, experiment)
        plan = Plan(
            contestants=names,
            repetitions=options.repetitions or experiment.repetitions,
            first_repetition=0 if budget_s else archived,
            seed=seed if options.seed is None else options.seed,
            is_quick=options.is_quick,
            overrides=options.overrides,
            workloads=options.workloads,
            budget_s=budget_s,
            rule=_rule(options) if budget_s else "",
            cpus=None
            if options.cpus is None
            else tuple(sorted(parse_cpus(options.cpus))),
            long_warm_ups=()
            if options.sides
            else long_warm_ups(contestants[name] for name in names),
            sides=options.sides,
        )
    return RunRequest(
        file=found,
        experiment=experiment,
        plan=plan,
        command=shlex.join(["autostrada", *sys.argv[1:]]),
        store=options.store,
        budget_s=_budget_left_s(options, plan, resumed),
        add_to=options.add_to,
    ), resumed


def _repetitions_of(archive: Path, experiment: str) -> int:
    """Return the number of repetitions of an archived run."""
    with StoreReader.open(archive) as reader:
        found = reader.resumption(experiment)
    if not is_archive(archive) or found is None:
        raise UsageError(
            f"{archive} is no archived run of {experiment}: give a file of "
            f"docs/results, or one that autostrada report has written"
        )
    return found.rounds


def _rule(options: RunOptions) -> str:
    return equivalence.RULE if options.sides else sequential.RULE


def _changed(experiment: Experiment, by: RunOptions | Plan) -> Experiment:
    return experiment_for_run(
        experiment,
        is_quick=by.is_quick,
        overrides=by.overrides,
        workloads=by.workloads,
    )


def long_warm_ups(contestants: Iterable[Contestant]) -> tuple[str, ...]:
    """Return the names of the contestants of which a program has a long warm-up."""
    return tuple(
        contestant.name
        for contestant in contestants
        if any(
            program.warm_up_s > LONG_WARM_UP_S
            for role in ROLES
            if (program := contestant.program(role))
        )
    )


def _budget_s(options: RunOptions, experiment: Experiment) -> float | None:
    """Return the time for the trials of a new run; ``None`` without a budget."""
    if options.budget is None:
        return None if options.repetitions else experiment.budget_s
    if options.repetitions:
        raise UsageError("give either --budget or --repetitions")
    return parse_duration(options.budget)


def _budget_left_s(
    options: RunOptions, plan: Plan, resumed: Resumption | None
) -> float | None:
    """Return what is left of a run's budget; a resumed run may have a further one."""
    if resumed is None or plan.budget_s is None:
        if resumed and options.budget:
            raise UsageError(
                "the run has a number of repetitions: omit --budget to resume it"
            )
        return plan.budget_s
    if options.budget:
        return parse_duration(options.budget)
    return max(0.0, plan.budget_s - resumed.taken_ns / 1e9)


def _host(request: RunRequest, options: RunOptions) -> Host:
    """Return how the cores are divided; a resumed run uses the cores it began with."""
    plan, experiment = request.plan, request.experiment
    cpus = None if plan.cpus is None else frozenset(plan.cpus)
    try:
        return host_of(experiment, cpus)
    except UsageError as error:
        if not options.resume or cpus is None:
            raise
        raise UsageError(
            f"the run began on cores {join(frozenset(plan.cpus or ()))}, which are not "
            f"all available; omit --resume to start a new run"
        ) from error


def placeable(
    request: RunRequest, host: Host, *, named: Sequence[str]
) -> tuple[RunRequest, Sequence[str]]:
    """
    Return a run without the workloads for which there are not enough cores.

    The second value says why each of them is left out. ``named`` are the workloads that
    the user named.

    Raises:
        UsageError: the user named such a workload, or no other is left.
    """
    fitting, left_out = fitting_workloads(request.experiment, host)
    if not left_out:
        return request, ()
    kept = tuple(workload.name for workload in fitting.workload)
    if named or not kept:
        raise UsageError(
            f"{left_out[0]}; choose more with --cpus, or other workloads with "
            f"--workload"
        )
    plan = replace(request.plan, workloads=kept)
    return replace(request, experiment=fitting, plan=plan), left_out


def without_slices(request: RunRequest) -> tuple[RunRequest, Sequence[str]]:
    """Return a run of trials one by one, and the workloads that had slices."""
    workloads = request.experiment.workload
    alone = tuple(workload.without_slices() for workload in workloads)
    sliced = [workload.name for workload in workloads if workload.slice_plan]
    experiment = request.experiment.model_copy(update={"workload": alone})
    return replace(request, experiment=experiment), sliced


def parse_duration(text: str) -> float:
    """
    Parse a duration: ``90s``, ``30m``, ``1h30m`` or ``50ms``.

    Returns seconds.

    Raises:
        UsageError: the text is no such duration, or it is 0.
    """
    match = re.fullmatch(
        r"(?:(\d{1,3})h)?(?:(\d{1,5})m)?(?:(\d{1,6}(?:\.\d{1,9})?)s)?"
        r"(?:(\d{1,9}(?:\.\d{1,6})?)ms)?",
        text.strip(),
    )
    parts = [float(group or 0) for group in match.groups()] if match else [0.0] * 4
    hours, minutes, seconds, milliseconds = parts
    duration_s = 3600 * hours + 60 * minutes + seconds + milliseconds / 1000
    if not duration_s:
        raise UsageError(
            f"{text!r} is not a duration; write it like 30m, 90s, 1h30m or 50ms"
        )
    return duration_s
