"""A comparison as a value: each cell that both sides have, and what only one has."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from autostrada.errors import UsageError
from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.report.compare.figure import SHOWN
from autostrada.report.compare.side import Samples, Side
from autostrada.stats.change import Change


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedCell:
    """A cell that was measured on both sides; by figure's name, what changed."""

    before: Samples
    after: Samples
    changes: Mapping[str, Change | None]
    """None where a side does not have the figure."""

    @property
    def workload(self) -> str:
        """The workload, which is the same on both sides."""
        return self.before.cell.workload

    @property
    def contestant(self) -> str:
        """The contestant, or both where they are two."""
        names = [self.before.cell.contestant, self.after.cell.contestant]
        return " → ".join(dict.fromkeys(names))


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
    firsts, seconds = _by_place(before), _by_place(after)
    workloads = [each.name for each in before.experiment.workload]
    workloads += sorted({place[1] for place in seconds} - set(workloads))
    places = sorted(
        firsts.keys() | seconds.keys(),
        key=lambda place: (workloads.index(place[1]), place[0]),
    )
    compared = [
        _compared(firsts[place], seconds[place])
        for place in places
        if place in firsts and place in seconds
    ]
    is_of_runs = before.address.contestant is None
    reference = [
        each for each in compared if is_of_runs and each.contestant == REFERENCE
    ]
    return Comparison(
        before=before,
        after=after,
        cells=tuple(each for each in compared if each not in reference),
        reference=tuple(reference),
        lone=tuple(
            lone
            for place in places
            for lone in _lone(firsts.get(place), seconds.get(place), before, after)
        ),
    )


def _refuse_what_differs_too_much(before: Side, after: Side) -> None:
    first, second = before.address, after.address
    is_same_run = before.stored == after.stored and first.store.samefile(second.store)
    if is_same_run and first.contestant == second.contestant:
        raise UsageError(f"{first.text} and {second.text} are the same: name two")
    names = before.stored.run.experiment, after.stored.run.experiment
    if names[0] != names[1]:
        raise UsageError(
            f"{first.text} is a run of {names[0]}, {second.text} one of {names[1]}: "
            f"name two runs of the same experiment"
        )


def _by_place(side: Side) -> dict[tuple[str, str], Samples]:
    """Return a side's samples by contestant, '' where one is given, and workload."""
    return {
        (
            each.cell.contestant if side.address.contestant is None else "",
            each.cell.workload,
        ): each
        for each in side.samples
    }


def _compared(before: Samples, after: Samples) -> ComparedCell:
    return ComparedCell(
        before=before,
        after=after,
        changes={figure.name: figure.change(before, after) for figure in SHOWN},
    )


def _lone(
    first: Samples | None, second: Samples | None, before: Side, after: Side
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
        row["kind"]
        for row in side.failures
        if row["contestant"] == contestant and row["workload"] in {None, cell.workload}
    ]
    if not kinds:
        return "not measured"
    return f"failed: {', '.join(dict.fromkeys(kinds))}"
