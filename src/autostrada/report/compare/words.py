"""Sentences that say what a comparison came to, computed from its figures alone."""

from collections.abc import Iterator, Sequence
from math import log
from statistics import median

from autostrada.report import number
from autostrada.report.compare.comparison import ComparedCell, Comparison, LoneCell
from autostrada.report.compare.figure import CPU, DURATION, MEMORY
from autostrada.report.compare.gate import Judgement
from autostrada.report.compare.side import Side
from autostrada.report.text import listed
from autostrada.stats.change import ERROR_MAX, Change, Direction, change
from autostrada.stats.interval import CONFIDENCE_MIN
from autostrada.stats.ratio import Ratio

SHARING_CELLS_MIN = 5
"""Fewer cells may all have changed themselves."""

NEEDS = {CPU.name: "CPU time a message", MEMORY.name: "memory"}

NOTE = (
    "B/A is the ratio of the medians, with its bootstrap interval; p is that of the "
    "Mann-Whitney test. A figure is another one where both agree: the interval "
    "excludes 1, and chance makes such an order in this direction at most "
    f"{number.percent(ERROR_MAX)} of the time. The interval knows how repetitions "
    "differ, not how the machine differs from one run to the next."
)


def conclusion(comparison: Comparison) -> str:
    """Say in one sentence whether B is another speed than A."""
    cells = comparison.cells
    before, after = names(comparison)
    if not cells:
        return f"Nothing can be compared: {before} and {after} have no cell in common."
    found = {
        direction: [cell for cell in cells if _duration(cell).direction is direction]
        for direction in (Direction.LOWER, Direction.HIGHER, Direction.UNCLEAR)
    }
    said = listed(
        [
            f"{DURATION.verdict(_duration(chosen[0]))}{_share(chosen, comparison)}"
            for chosen in found.values()
            if chosen
        ]
    )
    needs = "".join(_needs(cells))
    return f"Compared with {before}, {after} is {said}{needs}.{_shared(comparison)}"


def _shared(comparison: Comparison) -> str:
    """Say by how much all cells of two runs differ together, and how many besides."""
    cells = comparison.cells
    if comparison.is_of_contestants or len(cells) < SHARING_CELLS_MIN:
        return ""
    factor = median(_duration(cell).ratio.value for cell in cells)
    besides = [
        change(cell.before.ns_per_message, cell.after.ns_per_message, factor)
        for cell in cells
    ]
    others = sum(each.direction is not Direction.UNCLEAR for each in besides)
    return (
        f" The cell in the middle takes {number.plain(factor, 3)}{number.TIMES} as "
        f"long; what all share is more likely the machine's than theirs. But for that, "
        f"{others} of {len(cells)} cells differ."
    )


def note(comparison: Comparison) -> str:
    """Say what the columns are, and how sure the intervals are at most."""
    sure = min(
        (_duration(cell).ratio.confidence for cell in comparison.cells), default=1
    )
    if not sure:
        return f"{NOTE} One repetition gives no interval."
    if sure < CONFIDENCE_MIN:
        return (
            f"{NOTE} So few repetitions make it {number.confidence(sure)} sure at most."
        )
    return NOTE


def names(comparison: Comparison) -> tuple[str, str]:
    """Return what both sides are called in a sentence."""
    before, after = comparison.before.address, comparison.after.address
    return before.contestant or "A", after.contestant or "B"


def place(cell: ComparedCell) -> str:
    """Name a cell as in a sentence; where two contestants meet, by its workload."""
    first, second = cell.before.cell.contestant, cell.after.cell.contestant
    return f"{first} in {cell.workload}" if first == second else cell.workload


def lone(cell: LoneCell) -> str:
    """Say which side alone has a cell, and why the other has not."""
    other = "B" if cell.side == "A" else "A"
    return (
        f"{cell.cell.contestant} in {cell.cell.workload}: only in {cell.side}; in "
        f"{other} {cell.reason}"
    )


def origin(side: Side) -> str:
    """Say which run a side is, when it was made and with what."""
    stored, run = side.stored, side.stored.run
    contestant = f"{side.address.contestant} in " if side.address.contestant else ""
    started_at = run.started_at.strftime("%Y-%m-%d %H:%M UTC")
    return (
        f"{contestant}run {stored.run_id} of {run.experiment} in {side.address.store}, "
        f"{started_at}, Autostrada {run.autostrada_version}"
    )


def verdicts(judgement: Judgement) -> Iterator[str]:
    """Say what a condition came to: what fails, what holds, what nobody can judge."""
    condition = judgement.condition
    for cell in judgement.failed:
        value, low, high = condition.evidence(cell)
        if condition.is_of_change:
            found = f"{change_percent(value)} ({change_percent(low)} to "
            found += f"{change_percent(high)})"
        else:
            found = f"{amount(value)} ({number.between(low, high, like=value)})"
        yield f"fails: {condition.text}: {place(cell)}: {found}"
    if judgement.held:
        yield f"holds: {condition.text}: in {number.count(len(judgement.held), 'cell')}"
    for cell in judgement.unjudged:
        yield (
            f"not judged: {condition.text}: {place(cell)}: {condition.obstacle(cell)}"
        )


def change_percent(ratio: float) -> str:
    """Write a ratio as a change: +9.1%."""
    return f"{100 * (ratio - 1):+.1f}%"


def amount(value: float) -> str:
    """Write a figure so that one that is nearly nothing is not shown as nothing."""
    return number.plain(value, 4 if value < 0.1 else None)


def ratio_value(ratio: Ratio) -> str:
    """Write a ratio so that a few parts in a thousand can be seen."""
    return f"{number.plain(ratio.value, _places(ratio))}{number.TIMES}"


def ratio_bounds(ratio: Ratio) -> str:
    """Write the bounds of a ratio; none where there is one sample."""
    if not ratio.confidence:
        return ""
    places = _places(ratio)
    low, high = number.plain(ratio.low, places), number.plain(ratio.high, places)
    return f"{low}{number.DASH}{high}"


def probability(p: float) -> str:
    """Write a p: what is below a thousandth is small, whatever it is."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _places(ratio: Ratio) -> int:
    return 3 if ratio.value < 10 else number.decimals(ratio.value)


def _duration(cell: ComparedCell) -> Change:
    found = cell.changes[DURATION.name]
    assert found, "a measured cell has a duration"
    return found


def _share(chosen: Sequence[ComparedCell], comparison: Comparison) -> str:
    """Say how many of all cells these are, and which of them is furthest from 1."""
    furthest = max(chosen, key=lambda cell: abs(log(_duration(cell).ratio.value)))
    found = _duration(furthest)
    most = "most: " if len(chosen) > 1 else ""
    example = (
        f" ({most}{place(furthest)}, {ratio_value(found.ratio)} as long)"
        if found.direction is not Direction.UNCLEAR
        else ""
    )
    total = len(comparison.cells)
    if total == 1:
        return example or f" in {place(furthest)}"
    return f" in {len(chosen)} of {number.count(total, 'cell')}{example}"


def _needs(cells: Sequence[ComparedCell]) -> Iterator[str]:
    """Say in how many cells another figure than the duration is more, or less."""
    for figure in (CPU, MEMORY):
        found = [change for cell in cells if (change := cell.changes[figure.name])]
        counts = [
            word if len(cells) == 1 else f"{word} in {count}"
            for direction, word in (
                (Direction.HIGHER, figure.higher),
                (Direction.LOWER, figure.lower),
            )
            if (count := sum(each.direction is direction for each in found))
        ]
        if counts:
            yield f"; {NEEDS[figure.name]} is {listed(counts)}"
