"""A comparison as a value: each cell that both sides have, and what only one has."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from autostrada.errors import UsageError
from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.report.compare.side import Side
from autostrada.report.ranking import ranked_by
from autostrada.report.results import Outcome
from autostrada.report.samples import Sampled, ratio_of
from autostrada.stats.change import Change, Direction, change, change_of_bounds
from autostrada.stats.figures import FIGURES, SPEEDS, Figure
from autostrada.workloads.workload import Workload

SHOWN = (
    "ms_per_million",
    "capacity_connections",
    "received_per_s",
    "achieved_per_s",
    "achieved_share",
    "latency_ms_p99",
    "response_ms_p99",
    "dropped_messages",
    "server_cpu_us_per_message",
    "client_cpu_us_per_message",
    "server_memory_bytes_max",
    "client_memory_bytes_max",
)
"""The figures of the tables, of those that a cell has; any can be a condition's."""

NOT_DISTINGUISHABLE = "indistinguishable"


def compared(before: Sampled, after: Sampled, factor: float = 1.0) -> Change:
    """Compare one figure of two cells."""
    ratio = ratio_of(after, before)
    if before.known or after.known:
        return change_of_bounds(ratio, factor)
    return change(before.values, after.values, factor, ratio=ratio)


def verdict(figure: Figure, direction: Direction) -> str:
    """Return a change in a word: faster, slower, more, less, not distinguishable."""
    if direction is Direction.UNCLEAR:
        return NOT_DISTINGUISHABLE
    is_higher = direction is Direction.HIGHER
    if figure.group in SPEEDS and figure.better != "neither":
        return "faster" if is_higher == (figure.better == "higher") else "slower"
    return "more" if is_higher else "less"


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedCell:
    """A cell that was measured on both sides; by figure's name, what changed."""

    before: Outcome
    after: Outcome
    main: Figure
    """The figure that says how fast it is."""

    changes: Mapping[str, Change]
    """Of the figures that both sides have."""

    @property
    def workload(self) -> str:
        """The workload, which is the same on both sides."""
        return self.before.cell.workload

    @property
    def contestant(self) -> str:
        """The contestant, or both where they are two."""
        names = [self.before.cell.contestant, self.after.cell.contestant]
        return " → ".join(dict.fromkeys(names))

    @property
    def shown(self) -> list[Figure]:
        """The figures of the tables that either side has."""
        known = {*self.before.figures, *self.after.figures}
        return [FIGURES[name] for name in SHOWN if name in known]

    @property
    def change(self) -> Change | None:
        """What changed of the main figure; None where a side does not have it."""
        return self.changes.get(self.main.name)


@dataclass(frozen=True, kw_only=True, slots=True)
class LoneCell:
    """A cell that only one side, A or B, has figures of, and why the other has not."""

    cell: Cell
    side: str
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """Two sides, A and B, as far as they can be compared."""

    before: Side
    after: Side
    cells: tuple[ComparedCell, ...]
    reference: tuple[ComparedCell, ...]
    """The engine's own client: it shows whether engine or machine have changed."""

    lone: tuple[LoneCell, ...]

    @property
    def by_workload(self) -> dict[str, list[ComparedCell]]:
        """All compared cells, those of a workload together and its reference first."""
        every = (*self.reference, *self.cells)
        return {
            workload: [cell for cell in every if cell.workload == workload]
            for workload in dict.fromkeys(cell.workload for cell in every)
        }

    @property
    def is_of_contestants(self) -> bool:
        """Whether two contestants of one run are compared, and not two runs."""
        return self.before.address.contestant is not None


def compare(before: Side, after: Side) -> Comparison:
    """
    Compare what two sides have in common, figure by figure.

    Workloads come in the order of A's experiment, contestants in that of their names.

    Raises:
        UsageError: both sides are the same, or of different experiments.
    """
    _refuse_what_differs_too_much(before, after)
    firsts, seconds = before.outcomes, after.outcomes
    workloads = list(dict.fromkeys(place[1] for place in (*firsts, *seconds)))
    places = sorted(
        firsts.keys() | seconds.keys(),
        key=lambda place: (workloads.index(place[1]), place[0]),
    )
    points = before.results.experiment.points()
    cells = [
        _compared(firsts[place], seconds[place], points)
        for place in places
        if place in firsts and place in seconds
    ]
    is_of_runs = before.address.contestant is None
    reference = [each for each in cells if is_of_runs and each.contestant == REFERENCE]
    return Comparison(
        before=before,
        after=after,
        cells=tuple(each for each in cells if each not in reference),
        reference=tuple(reference),
        lone=tuple(
            lone
            for place in places
            for lone in _lone(firsts.get(place), seconds.get(place), before, after)
        ),
    )


def _refuse_what_differs_too_much(before: Side, after: Side) -> None:
    first, second = before.address, after.address
    is_same_run = before.results.run_id == after.results.run_id
    is_same_run = is_same_run and first.store.samefile(second.store)
    if is_same_run and first.contestant == second.contestant:
        raise UsageError(f"{first.text} and {second.text} are the same: name two")
    names = before.results.run.experiment, after.results.run.experiment
    if names[0] != names[1]:
        raise UsageError(
            f"{first.text} is a run of {names[0]}, {second.text} one of {names[1]}: "
            f"name two runs of the same experiment"
        )


def _compared(
    before: Outcome, after: Outcome, points: Mapping[str, Workload]
) -> ComparedCell:
    point = before.cell.workload
    workload = points.get(point) or points[point.partition(" ")[0]]
    return ComparedCell(
        before=before,
        after=after,
        main=ranked_by(workload, point, [before, after]),
        changes={
            name: compared(sampled, after.figures[name])
            for name, sampled in before.figures.items()
            if name in after.figures
        },
    )


def _lone(
    first: Outcome | None, second: Outcome | None, before: Side, after: Side
) -> Iterator[LoneCell]:
    """Yield the cell if one side alone has it, and what became of it on the other."""
    if first and not second:
        yield LoneCell(cell=first.cell, side="A", reason=_absence(first.cell, after))
    if second and not first:
        yield LoneCell(cell=second.cell, side="B", reason=_absence(second.cell, before))


def _absence(cell: Cell, side: Side) -> str:
    """Say why a side has no figures of a cell: it failed, or was never tried."""
    contestant = side.address.contestant or cell.contestant
    kinds = [
        failed.failure.kind
        for other, outcome in side.results.outcomes.items()
        if (other.contestant, other.workload) == (contestant, cell.workload)
        for failed in outcome.failures
    ]
    kinds += [each.failure.kind for each in side.results.absent.get(contestant, ())]
    if not kinds:
        return "not measured"
    return f"failed: {', '.join(dict.fromkeys(kinds))}"
