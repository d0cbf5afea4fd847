"""``run all``: runs all experiments into one store, and continues after a failure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from autostrada.contestants.catalog import Catalog
from autostrada.errors import AutostradaError, UsageError
from autostrada.runner.command import (
    Prepare,
    RunOptions,
    run_command,
    run_request,
)
from autostrada.runner.forecast import Forecast
from autostrada.runner.progress import counted, format_duration
from autostrada.runner.request import Plan, RunRequest, plan_of
from autostrada.runner.run import Undecided
from autostrada.store.reader import StoreReader
from autostrada.store.record import Attempt, Resumption

ALL = "all"
"""The argument that stands for all experiments."""

Report = Callable[[Path, int, Path | None], object]
"""Writes a run's page to a path, and prints its results and the file of its log."""

PUSH_S = 0.5
"""Assumed duration of a trial whose length the contestant determines."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedRun:
    """One experiment of ``run all``."""

    options: RunOptions
    trials: int
    """Number of planned trials that are left."""

    expected_s: float
    """Expected remaining duration in seconds."""

    refusal: str
    """Why the experiment cannot be run, in one line; empty if it can."""

    @property
    def name(self) -> str:
        """Name of the experiment."""
        return Path(self.options.experiment).stem


def run_all(
    options: RunOptions,
    catalog: Catalog,
    report: Report,
    console: Console,
    prepare: Prepare,
    undecided: Undecided,
) -> tuple[str, ...]:
    """
    Run all experiments of a catalog; return the names of those that failed.

    Raises:
        UsageError: an argument applies only to a single experiment; nothing has been
            run or changed.
    """
    chosen = (options.only, options.overrides, options.workloads)
    if any((*chosen, options.page, options.place, options.add_to)):
        raise UsageError(
            "--contestant, --workload, --set, --page, --place and --add-to apply to "
            "one experiment: name it instead of all"
        )
    planned = planned_runs(options, catalog)
    print_planned(planned, console)
    failed = []
    for index, run in enumerate(planned):
        if run.refusal:
            failed.append(run.name)
            continue
        left_s = sum(entry.expected_s for entry in planned[index:])
        title = (
            f"{run.name}, {index + 1} of {len(planned)}, about "
            f"{format_duration(left_s)} left of all"
        )
        console.print(f"\n{title}", markup=False, highlight=False, soft_wrap=True)
        assert run.options.page
        try:
            finished = run_command(run.options, prepare, undecided)
            report(run.options.page, *finished)
        except AutostradaError as error:
            text = f"{run.name} failed: {error}"
            console.print(text, markup=False, highlight=False, style="red")
            failed.append(run.name)
    return tuple(failed)


def planned_runs(options: RunOptions, catalog: Catalog) -> tuple[PlannedRun, ...]:
    """
    Return all experiments with their arguments, in the order of their names.

    If a quick ``run all`` is resumed, experiments that have not begun are quick too.
    """
    begun = _begun(options) if options.resume else {}
    if not options.is_quick and begun:
        newest = list(begun.values())[-1]
        options = replace(options, is_quick=newest.is_quick)
    contestants = catalog.contestants()
    planned = []
    for name, path in catalog.experiments().items():
        chosen = _options_of(path, options, is_begun=name in begun)
        try:
            request, resumed = run_request(chosen, catalog, contestants)
        except UsageError as error:
            planned.append(
                PlannedRun(options=chosen, trials=0, expected_s=0.0, refusal=str(error))
            )
            continue
        planned.append(
            PlannedRun(
                options=chosen,
                trials=len(left(request, resumed)),
                expected_s=expected_s(request, resumed),
                refusal="",
            )
        )
    return tuple(planned)


def left(request: RunRequest, resumed: Resumption | None) -> list[Attempt]:
    """Return the planned attempts that are left."""
    attempts = request.plan.attempts(request.experiment)
    if resumed is None:
        return attempts
    return [
        attempt
        for attempt in attempts
        if attempt not in resumed.attempts
        and resumed.failed.isdisjoint((attempt.cell.server, attempt.cell.client))
    ]


def expected_s(request: RunRequest, resumed: Resumption | None) -> float:
    """Return the expected remaining duration in seconds."""
    if request.budget_s is not None:
        return request.budget_s
    points = request.experiment.points()
    forecast = Forecast(
        left(request, resumed),
        planned_s=lambda cell: points[cell.workload].duration_s or PUSH_S,
    )
    return forecast.left_s() or 0.0


def print_planned(planned: Sequence[PlannedRun], console: Console) -> None:
    """Print a line for each experiment, and the expected duration of all of them."""
    width = max((len(run.name) for run in planned), default=0)
    for run in planned:
        text = f"cannot be run: {run.refusal}"
        if not run.refusal:
            text = "nothing is left to do"
        if run.expected_s:
            text = f"about {format_duration(run.expected_s)}"
        if run.trials:
            text = f"{counted(run.trials, 'trial')}, {text}"
        console.print(f"{run.name:{width}}  {text}", markup=False, highlight=False)
    total_s = sum(run.expected_s for run in planned)
    console.print(f"all together about {format_duration(total_s)}, builds not counted")


def _begun(options: RunOptions) -> dict[str, Plan]:
    """Return the plan of each experiment's newest run, the latest run last."""
    if not options.store.exists():
        return {}
    with StoreReader.open(options.store) as reader:
        runs = {stored.run_id: stored.run for stored in reader.runs()}
    newest = {run.experiment: run_id for run_id, run in runs.items()}
    return {
        name: plan_of(runs[run_id])
        for name, run_id in sorted(newest.items(), key=lambda each: each[1])
    }


def _options_of(path: Path, options: RunOptions, *, is_begun: bool) -> RunOptions:
    """
    Return the arguments for the experiment in the file ``path``.

    A resumed experiment keeps the arguments that it began with.
    """
    page = options.store.with_name(f"{path.stem}.html")
    named = replace(options, experiment=str(path), page=page, resume=is_begun)
    if not is_begun:
        return named
    return replace(
        named, repetitions=None, is_quick=False, seed=None, budget=None, cpus=None
    )
