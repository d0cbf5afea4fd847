"""What ``autostrada run`` does: check everything, then run."""

import random
import re
import shlex
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from autostrada.contestants.build import Workshop
from autostrada.contestants.catalog import Catalog, choose, find_catalog
from autostrada.contestants.contestant import Contestant
from autostrada.engine.process import find_engine
from autostrada.errors import UsageError
from autostrada.experiment.experiment import Experiment
from autostrada.experiment.override import as_run
from autostrada.machine.certificates import Certificates, temporary_certificates
from autostrada.machine.host import Host, join, parse_cpus, this_host
from autostrada.runner.progress import Display, Lines, Progress
from autostrada.runner.run import (
    Order,
    Plan,
    Setting,
    plan_of,
    resumable,
    run_experiment,
)
from autostrada.store.file import make_writable
from autostrada.store.record import Resumption


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """What the user has asked for; ``None`` leaves it to the experiment."""

    experiment: str
    resume: bool
    only: tuple[str, ...]
    repetitions: int | None
    is_quick: bool
    seed: int | None
    until_interval: str | None
    cpus: str | None
    contestants: Path | None
    store: Path
    page: Path | None
    overrides: tuple[str, ...] = ()
    """Parameters of workloads that are to be others."""

    workloads: tuple[str, ...] = ()
    """The only workloads to run; without any, all."""

    @property
    def has_order(self) -> bool:
        """Whether anything is said of how often, in which order, and where."""
        chosen = (self.repetitions, self.seed, self.until_interval, self.cpus)
        is_other = self.is_quick or bool(self.overrides or self.workloads)
        return is_other or any(each is not None for each in chosen)


def run_command(choice: Choice, prepare: Callable[[], None] = lambda: None) -> int:
    """
    Run an experiment; return the run's number in the store.

    ``prepare`` is called when it is certain that the run can begin.

    Raises:
        UsageError: it cannot be done as asked; nothing has been run or changed.
    """
    catalog = find_catalog(choice.contestants)
    contestants = catalog.contestants()
    order, resumed = order_of(choice, catalog, contestants)
    host = _host(order, choice)
    for path in (choice.store, choice.page or choice.store):
        make_writable(path)
    prepare()
    console = Console()
    progress: Progress = Display(console) if console.is_terminal else Lines(console)
    try:
        with _certificates(order.experiment) as certificates:
            setting = Setting(
                engine=find_engine(),
                host=host,
                workshop=Workshop.of(catalog),
                contestants=contestants,
                certificates=certificates,
            )
            return run_experiment(order, setting, progress, resumed)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; finished trials are kept, --resume goes on\n")
        raise
    finally:
        progress.close()


def _certificates(
    experiment: Experiment,
) -> AbstractContextManager[Certificates | None]:
    """Make what servers need that speak TLS, where there is one."""
    return temporary_certificates() if experiment.has_tls else nullcontext()


def order_of(
    choice: Choice, catalog: Catalog, contestants: dict[str, Contestant]
) -> tuple[Order, Resumption | None]:
    """
    Return what a run is to do, and what it has already done where it goes on.

    Raises:
        UsageError: it cannot be done as asked.
    """
    found = catalog.experiment(choice.experiment)
    if choice.resume:
        if choice.only or choice.has_order:
            raise UsageError(
                "--resume goes on as the run was begun: leave out --contestant, "
                "--workload, --repetitions, --quick, --set, --seed, --until-interval "
                "and --cpus"
            )
        resumed = resumable(found.name, found.definition, choice.store)
        plan = plan_of(resumed.stored.run)
        experiment = as_run(
            found.experiment,
            is_quick=plan.is_quick,
            overrides=plan.overrides,
            workloads=plan.workloads,
        )
        choose(plan.contestants, contestants, experiment)
    else:
        resumed = None
        experiment = as_run(
            found.experiment,
            is_quick=choice.is_quick,
            overrides=choice.overrides,
            workloads=choice.workloads,
        )
        seed = random.SystemRandom().randrange(2**32)
        plan = Plan(
            contestants=choose(
                choice.only or experiment.contestants, contestants, experiment
            ),
            repetitions=choice.repetitions or experiment.repetitions,
            warm_ups=experiment.warm_ups,
            seed=seed if choice.seed is None else choice.seed,
            is_quick=choice.is_quick,
            overrides=choice.overrides,
            workloads=choice.workloads,
            until_interval=(
                None
                if choice.until_interval is None
                else parse_share(choice.until_interval)
            ),
            cpus=None
            if choice.cpus is None
            else tuple(sorted(parse_cpus(choice.cpus))),
        )
    order = Order(
        name=found.name,
        experiment=experiment,
        definition=found.definition,
        published=found.published,
        plan=plan,
        command=shlex.join(["autostrada", *sys.argv[1:]]),
        store=choice.store,
    )
    return order, resumed


def _host(order: Order, choice: Choice) -> Host:
    """Divide the cores that a run may use; one that goes on keeps to its own."""
    plan, wants_apart = order.plan, order.experiment.cores == "apart"
    cpus = None if plan.cpus is None else frozenset(plan.cpus)
    try:
        return this_host(cpus, wants_apart=wants_apart)
    except UsageError as error:
        if not choice.resume:
            raise
        raise UsageError(
            f"the run was begun on cores {join(frozenset(plan.cpus or ()))}, and not "
            f"all can be used here; leave out --resume to begin a new one"
        ) from error


def parse_share(text: str) -> float:
    """
    Read how wide an interval may be, on either side, as a share of its median: ``3%``.

    Raises:
        UsageError: it is no share between 0 and 100 %.
    """
    match = re.fullmatch(r"(\d{1,3}(?:\.\d{1,9})?) ?%", text.strip())
    share = float(match[1]) / 100 if match else 0.0
    if not 0 < share < 1:
        raise UsageError(
            f"--until-interval {text!r} is no share of the median; write one like 3%"
        )
    return share
