"""What a suite is going to do, and how long that takes: shown before it begins."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from autostrada.contestants.catalog import Catalog
from autostrada.errors import UsageError
from autostrada.experiment.matrix import Attempt, Cell
from autostrada.runner.agenda.forecast import Forecast
from autostrada.runner.agenda.searches import Searches
from autostrada.runner.command import Choice, order_of
from autostrada.runner.progress import counted, in_words
from autostrada.runner.run import Order, Plan, plan_of
from autostrada.store.reader import StoreReader
from autostrada.store.record import Resumption

PUSH_S = 0.5
"""What a push is taken to last, whose length the contestant decides."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Member:
    """One experiment of a suite."""

    choice: Choice
    trials: int
    """That are left of those planned; what searches try is not known beforehand."""

    expected_s: float
    """How long what is left takes, searches with it."""

    refusal: str
    """Why it cannot be run, in one line; ``""`` where it can."""

    @property
    def name(self) -> str:
        """The experiment's."""
        return Path(self.choice.experiment).stem


def outlook(choice: Choice, catalog: Catalog) -> tuple[Member, ...]:
    """
    Return all experiments as they are to be run, in the order of their names.

    Where a suite goes on, what it has not begun is quick if what it began last is.
    """
    begun = _begun(choice) if choice.resume else {}
    if not choice.is_quick and begun:
        newest = list(begun.values())[-1]
        choice = replace(choice, is_quick=newest.is_quick)
    contestants = catalog.contestants()
    members = []
    for name, path in catalog.experiments().items():
        chosen = _choice_of(path, choice, is_begun=name in begun)
        try:
            order, resumed = order_of(chosen, catalog, contestants)
        except UsageError as error:
            members.append(
                Member(choice=chosen, trials=0, expected_s=0.0, refusal=str(error))
            )
            continue
        members.append(
            Member(
                choice=chosen,
                trials=len(left(order, resumed)),
                expected_s=expected_s(order, resumed),
                refusal="",
            )
        )
    return tuple(members)


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
    points = plan.of(order.experiment).points()
    tried = resumed.well if resumed else {}
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


def print_outlook(members: Sequence[Member], console: Console) -> None:
    """Print a line for each experiment, and how long all of them take."""
    width = max(len(member.name) for member in members)
    for member in members:
        words = f"cannot be run: {member.refusal}"
        if not member.refusal:
            words = "nothing is left to do"
        if member.expected_s:
            trials = counted(member.trials, "trial")
            words = f"{trials}, about {in_words(member.expected_s)}"
        console.print(f"{member.name:{width}}  {words}", markup=False, highlight=False)
    total_s = sum(member.expected_s for member in members)
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
