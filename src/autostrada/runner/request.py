"""What a run is asked to do: its experiment, its plan and its environment."""

from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter

from autostrada.contestants.build import Builder
from autostrada.contestants.catalog import CatalogExperiment
from autostrada.contestants.contestant import Contestant
from autostrada.experiment.experiment import Experiment
from autostrada.experiment.matrix import attempts, is_planned
from autostrada.experiment.publication import parse_publication
from autostrada.experiment.sides import ComparedSides
from autostrada.runner.context import RunContext
from autostrada.store.record import Attempt, Cell, Run


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """
    The arguments of a run and its seed; with the experiment they fix every attempt.

    The store keeps the plan, so that a run can be resumed.
    """

    contestants: tuple[str, ...]
    repetitions: int
    seed: int
    first_repetition: int = 0
    """Number of the first repetition: those before are in the archive that the run
    continues."""

    is_quick: bool = False
    """Whether the workloads have their parameters for quick runs."""

    overrides: tuple[str, ...] = ()
    """Workload parameters overridden on the command line, as given
    (``workload.parameter=value``)."""

    workloads: tuple[str, ...] = ()
    """Names of the workloads to run; empty for all."""

    budget_s: float | None = None
    """Time for trials; ``None`` if every cell has the planned repetitions."""

    rule: str = ""
    """How the trials of a run with a budget are chosen and evaluated."""

    cpus: tuple[int, ...] | None = None
    """Cores that the run may use; ``None`` for all."""

    long_warm_ups: tuple[str, ...] = ()
    """Contestants whose warm-up takes long: with slices, they take part in every second
    start, because a start of them costs as much as those of many others."""

    sides: ComparedSides | None = None
    """The two contestants that the run compares; ``None`` if it compares all."""

    def attempts(self, experiment: Experiment) -> list[Attempt]:
        """
        Return all attempts in order.

        In each repetition, workloads come last whose load or host others decide. With a
        budget none is known before the run begins.
        """
        points = experiment.points()
        planned = attempts(
            experiment.chosen_cells(self.contestants),
            repetitions=0 if self.budget_s else self.repetitions,
            seed=self.seed,
        )
        return sorted(
            (
                replace(attempt, repetition=self.first_repetition + attempt.repetition)
                for attempt in planned
                if is_planned(
                    attempt, points[attempt.cell.workload], self.long_warm_ups
                )
            ),
            key=lambda each: (
                each.repetition,
                points[each.cell.workload].is_dependent,
            ),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRequest:
    """The experiment of a run, its plan and its store."""

    file: CatalogExperiment
    experiment: Experiment
    """The experiment with the parameters for quick runs and the overrides applied."""

    plan: Plan
    command: str
    store: Path
    budget_s: float | None = None
    """What is left of the plan's budget, or a further one of a resumed run."""

    add_to: Path | None = None
    """Archived run whose trials the new run takes over and continues."""

    @property
    def compared(self) -> tuple[Cell, ...]:
        """The cells that claims and answers compare; all of a run with two sides."""
        if self.plan.sides:
            return self.experiment.chosen_cells(self.plan.contestants)
        file = self.file
        found = parse_publication(file.published, file.experiment, origin=file.name)
        claimed = found.compared if found else ()
        answered = (
            name.cell for answer in self.experiment.answer for name in answer.cells
        )
        return tuple(dict.fromkeys((*claimed, *answered)))


@dataclass(frozen=True, kw_only=True, slots=True)
class RunEnvironment:
    """The environment of a run: what its trials share, and all contestants."""

    context: RunContext
    builder: Builder
    contestants: dict[str, Contestant]


def plan_of(run: Run) -> Plan:
    """Return the plan of a stored run."""
    return TypeAdapter(Plan).validate_json(run.plan)
