"""``run all``: each experiment in turn, into one store; each may fail by itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from autostrada.contestants.catalog import Catalog
from autostrada.errors import AutostradaError, UsageError
from autostrada.runner.command import Choice, order_of, run_command
from autostrada.runner.forecast import Forecast
from autostrada.runner.progress import counted, in_words
from autostrada.runner.run import Order, Plan, plan_of
from autostrada.runner.searches import Searches
from autostrada.store.reader import StoreReader
from autostrada.store.record import Attempt, Cell, Resumption

ALL = "all"
"""What is said instead of an experiment's name."""

Report = Callable[[int, Path], None]
"""Shows the run of that number, and writes its page."""

PUSH_S = 0.5
"""What a push is taken to last, whose length the contestant decides."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedRun:
    """One experiment that is to be run."""

    choice: Choice
    trials: int
    """That are left of those planned; what searches try is not known in advance."""

    expected_s: float
    """How long what is left takes, searches with it."""

    refusal: str
    """Why it cannot be run, in one line; ``""`` where it can."""

    @property
    def name(self) -> str:
        """The experiment's."""
        return Path(self.choice.experiment).stem


def run_all(
    choice: Choice,
    catalog: Catalog,
    report: Report,
    console: Console,
    prepare: Callable[[], None] = lambda: None,
) -> tuple[str, ...]:
    """
    Run all experiments of a catalog; return the names of those that failed.

    Raises:
        UsageError: it is asked for something that only one experiment can do; nothing
            has been run or changed.
    """
    if choice.only or choice.page or choice.overrides or choice.workloads:
        raise UsageError(
            "--contestant, --workload, --set and --page are for one experiment: name "
            "it instead of all"
        )
    planned = planned_runs(choice, catalog)
    print_planned(planned, console)
    failed = []
    for index, run in enumerate(planned):
        left_s = sum(each.expected_s for each in planned[index:])
        title = (
            f"{run.name}, {index + 1} of {len(planned)}, about {in_words(left_s)} "
            f"left of all"
        )
        if not _carry_out(run, title, report, console, prepare):
            failed.append(run.name)
    return tuple(failed)


def _carry_out(
    run: PlannedRun,
    title: str,
    report: Report,
    console: Console,
    prepare: Callable[[], None],
) -> bool:
    """Run one experiment and show it; return whether that succeeded."""
    if run.refusal:
        return False
    console.print(f"\n{title}", markup=False, highlight=False, soft_wrap=True)
    assert run.choice.page
    try:
        report(run_command(run.choice, prepare), run.choice.page)
    except AutostradaError as error:
        console.print(
            f"{run.name} failed: {error}", markup=False, highlight=False, style="red"
        )
        return False
    return True


def planned_runs(choice: Choice, catalog: Catalog) -> tuple[PlannedRun, ...]:
    """
    Return all experiments as they are to be run, in the order of their names.

    Where it goes on, what it has not begun is quick if what it began last is.
    """
    begun = _begun(choice) if choice.resume else {}
    if not choice.is_quick and begun:
        newest = list(begun.values())[-1]
        choice = replace(choice, is_quick=newest.is_quick)
    contestants = catalog.contestants()
    planned = []
    for name, path in catalog.experiments().items():
        chosen = _choice_of(path, choice, is_begun=name in begun)
        try:
            order, resumed = order_of(chosen, catalog, contestants)
        except UsageError as error:
            planned.append(
                PlannedRun(choice=chosen, trials=0, expected_s=0.0, refusal=str(error))
            )
            continue
        planned.append(
            PlannedRun(
                choice=chosen,
                trials=len(left(order, resumed)),
                expected_s=expected_s(order, resumed),
                refusal="",
            )
        )
    return tuple(planned)


def left(order: Order, resumed: Resumption | None) -> list[Attempt]:
    """Return what is left to be tried of what is planned."""
    attempts = order.plan.attempts(order.experiment)
    return [each for each in attempts if not resumed or _is_left(each, resumed)]


def _is_left(attempt: Attempt, resumed: Resumption) -> bool:
    ends = {attempt.cell.server, attempt.cell.client}
    return attempt not in resumed.attempts and not ends & resumed.failed


def expected_s(order: Order, resumed: Resumption | None) -> float:
    """Return how long what is left takes by its plan, in seconds; of searches most."""
    plan = order.plan
    points = order.experiment.points()
    tried = resumed.met if resumed else {}
    searches = Searches(plan.searched(order.experiment), plan.seed, tried)

    def planned_s(cell: Cell) -> float:
        owned = searches.owns(cell)
        workload = searches.workload(cell) if owned else points[cell.workload]
        return workload.duration_s or PUSH_S

    forecast = Forecast(
        left(order, resumed),
        planned_s=planned_s,
        searches=searches.left_max,
    )
    return forecast.left_s() or 0.0


def print_planned(planned: Sequence[PlannedRun], console: Console) -> None:
    """Print a line for each experiment, and how long all of them take."""
    width = max(len(run.name) for run in planned)
    for run in planned:
        words = f"cannot be run: {run.refusal}"
        if not run.refusal:
            words = "nothing is left to do"
        if run.expected_s:
            trials = counted(run.trials, "trial")
            words = f"{trials}, about {in_words(run.expected_s)}"
        console.print(f"{run.name:{width}}  {words}", markup=False, highlight=False)
    total_s = sum(run.expected_s for run in planned)
    console.print(f"all together about {in_words(total_s)}, builds not counted")


def _begun(choice: Choice) -> dict[str, Plan]:
    """Return the newest plan of each experiment that was begun, the latest last."""
    if not choice.store.exists():
        return {}
    with StoreReader.open(choice.store) as reader:
        runs = {stored.run_id: stored.run for stored in reader.runs()}
    newest = {run.experiment: run_id for run_id, run in runs.items()}
    return {
        name: plan_of(runs[run_id])
        for name, run_id in sorted(newest.items(), key=lambda each: each[1])
    }


def _choice_of(path: Path, choice: Choice, *, is_begun: bool) -> Choice:
    """
    Return what is asked for of the experiment of that file.

    One that goes on does so as it was begun; what is said of how often and in which
    order is for those that have not begun.
    """
    named = replace(
        choice,
        experiment=str(path),
        page=choice.store.with_name(f"{path.stem}.html"),
        resume=is_begun,
    )
    if not is_begun:
        return named
    return replace(
        named,
        repetitions=None,
        is_quick=False,
        seed=None,
        until_interval=None,
        cpus=None,
    )
