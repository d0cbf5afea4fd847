"""What a suite is going to do, and how long that takes: shown before it begins."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from autostrada.errors import UsageError
from autostrada.plan.catalog import Catalog
from autostrada.plan.matrix import Cell
from autostrada.runner.agenda.forecast import Forecast
from autostrada.runner.agenda.searches import Searches
from autostrada.runner.command import Choice, order_of
from autostrada.runner.progress import in_words
from autostrada.runner.run import Order
from autostrada.store.reader import StoreReader

PUSH_S = 0.5
"""What a push is taken to last, whose length the contestant decides."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Member:
    """One experiment of a suite."""

    choice: Choice
    trials: int
    """As planned; of a run that goes on, those that are made already count too."""

    expected_s: float
    refusal: str
    """Why it cannot be run, in one line; ``""`` where it can."""

    @property
    def name(self) -> str:
        """The experiment's."""
        return Path(self.choice.experiment).stem


def outlook(choice: Choice, catalog: Catalog) -> tuple[Member, ...]:
    """Return all experiments as they are to be run, in the order of their names."""
    begun = _begun(choice) if choice.resume else frozenset()
    contestants = catalog.contestants()
    members = []
    for name, path in catalog.experiments().items():
        chosen = _choice_of(path, choice, is_begun=name in begun)
        try:
            order, _ = order_of(chosen, catalog, contestants)
        except UsageError as error:
            members.append(
                Member(choice=chosen, trials=0, expected_s=0.0, refusal=str(error))
            )
            continue
        members.append(
            Member(
                choice=chosen,
                trials=len(order.plan.attempts(order.experiment)),
                expected_s=expected_s(order),
                refusal="",
            )
        )
    return tuple(members)


def expected_s(order: Order) -> float:
    """Return how long a run takes by its plan, in seconds; of searches the most."""
    plan = order.plan
    points = plan.of(order.experiment).points()
    searches = Searches(plan.searched(order.experiment), plan.seed, {})

    def planned_s(cell: Cell) -> float:
        owned = searches.owns(cell)
        workload = searches.workload(cell) if owned else points[cell.workload]
        return workload.duration_s or PUSH_S

    forecast = Forecast(
        plan.attempts(order.experiment),
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
            words = f"{member.trials:,} trials, about {in_words(member.expected_s)}"
        console.print(f"{member.name:{width}}  {words}", markup=False, highlight=False)
    total_s = sum(member.expected_s for member in members)
    console.print(f"all together about {in_words(total_s)}, builds not counted")


def _begun(choice: Choice) -> frozenset[str]:
    """Return the experiments that the store has a run of."""
    if not choice.store.exists():
        return frozenset()
    with StoreReader.open(choice.store) as reader:
        return frozenset(stored.run.experiment for stored in reader.runs())


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
