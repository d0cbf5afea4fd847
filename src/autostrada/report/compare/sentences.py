"""Sentences that say what a comparison came to, computed from its figures alone."""

from collections.abc import Iterator, Sequence
from math import inf, isinf, log
from statistics import median

from autostrada.report import number
from autostrada.report.compare.comparison import (
    NOT_DISTINGUISHABLE,
    ComparedCell,
    Comparison,
    LoneCell,
    compared,
    verdict,
)
from autostrada.report.compare.gate import Judgement
from autostrada.report.compare.side import Side
from autostrada.report.figures import written
from autostrada.report.text import listed
from autostrada.stats.change import ERROR_MAX, Change, Direction
from autostrada.stats.interval import CONFIDENCE_MIN
from autostrada.stats.ratio import Ratio

SHARING_CELLS_MIN = 5
"""Fewer cells may all have changed themselves."""

NEEDS = {
    "server_cpu_us_per_message": "server CPU a message",
    "client_cpu_us_per_message": "client CPU a message",
    "server_memory_bytes_max": "server memory",
    "client_memory_bytes_max": "client memory",
}

NOTE = (
    "B/A is the ratio, with its bootstrap interval; p is of the Mann-Whitney test. "
    "A figure has changed where both agree: the interval excludes 1, and chance makes "
    f"such an order in this direction at most {number.percent(ERROR_MAX)} of the time. "
    "The interval covers how repetitions differ, not how the machine differs from one "
    "run to the next."
)


def conclusion(comparison: Comparison) -> str:
    """Say in one sentence whether performance changed between A and B."""
    cells = [cell for cell in comparison.cells if cell.change]
    before, after = names(comparison)
    if not cells:
        return f"Nothing can be compared: {before} and {after} have no cell in common."
    found: dict[str, list[ComparedCell]] = {}
    order = ("faster", "more", "slower", "less", NOT_DISTINGUISHABLE)
    for word in order:
        found[word] = [cell for cell in cells if _word(cell) == word]
    said = listed(
        [
            f"{word}{_share(chosen, len(cells))}"
            for word, chosen in found.items()
            if chosen
        ]
    )
    needs = "".join(_needs(cells))
    return f"Compared with {before}, {after} is {said}{needs}.{_shared(comparison)}"


def _word(cell: ComparedCell) -> str:
    return verdict(cell.main, _change(cell).direction)


def _change(cell: ComparedCell) -> Change:
    assert cell.change, "both sides have the main figure"
    return cell.change


def _shared(comparison: Comparison) -> str:
    """Say by how much all cells of two runs differ together, and how many besides."""
    cells = [
        cell
        for cell in comparison.cells
        if cell.change and 0 < cell.change.ratio.value < inf
    ]
    if comparison.is_of_contestants or len(cells) < SHARING_CELLS_MIN:
        return ""
    if len({cell.main for cell in cells}) > 1:
        return ""
    factor = median(_change(cell).ratio.value for cell in cells)
    besides = [
        compared(
            cell.before.figures[cell.main.name],
            cell.after.figures[cell.main.name],
            factor,
        )
        for cell in cells
    ]
    others = sum(each.direction is not Direction.UNCLEAR for each in besides)
    return (
        f" The median of the cells' ratios is {number.plain(factor, 3)}{number.TIMES}; "
        f"what all share is more likely the machine's than theirs. But for that, "
        f"{others} of {len(cells)} cells differ."
    )


def note(comparison: Comparison) -> str:
    """Say what the columns are, and how sure the intervals are at most."""
    sure = min(
        (cell.change.ratio.confidence for cell in comparison.cells if cell.change),
        default=1,
    )
    if not sure:
        return f"{NOTE} One repetition gives no interval."
    if sure < CONFIDENCE_MIN:
        return f"{NOTE} So few repetitions give {number.confidence(sure)} confidence."
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
    run = side.results.run
    contestant = f"{side.address.contestant} in " if side.address.contestant else ""
    started_at = run.started_at.strftime("%Y-%m-%d %H:%M UTC")
    return (
        f"{contestant}run {side.results.run_id} of {run.experiment} in "
        f"{side.address.store}, "
        f"{started_at}, Autostrada {run.autostrada_version}"
    )


def verdicts(judgement: Judgement) -> Iterator[str]:
    """Say what a condition came to: what fails, what holds, what cannot be judged."""
    condition = judgement.condition
    for cell in judgement.failed:
        value, low, high = condition.evidence(cell)
        if condition.is_of_change:
            found = f"{change_percent(value)} ({change_percent(low)} to "
            found += f"{change_percent(high)})"
        else:
            figure = condition.figure
            found = f"{written(figure, value)} ({written(figure, low)} to "
            found += f"{written(figure, high)})"
        yield f"fails: {condition.text}: {place(cell)}: {found}"
    if judgement.held:
        yield f"holds: {condition.text}: in {number.count(len(judgement.held), 'cell')}"
    for cell in judgement.unjudged:
        yield (
            f"not judged: {condition.text}: {place(cell)}: {condition.obstacle(cell)}"
        )


def change_percent(ratio: float) -> str:
    """Write a ratio as a change: +9.1%."""
    if isinf(ratio):
        return "+∞"
    return f"{100 * (ratio - 1):+.1f}%"


def ratio_value(ratio: Ratio) -> str:
    """Write a ratio so that a few parts in a thousand can be seen."""
    return f"{_factor(ratio.value, _places(ratio))}{number.TIMES}"


def ratio_bounds(ratio: Ratio) -> str:
    """Write the bounds of a ratio; none where there is one sample."""
    if not ratio.confidence:
        return ""
    places = _places(ratio)
    low, high = _factor(ratio.low, places), _factor(ratio.high, places)
    return f"{low}{number.DASH}{high}"


def _factor(value: float, places: int) -> str:
    return "∞" if isinf(value) else number.plain(value, places)


def probability(p: float) -> str:
    """Write a p: what is below a thousandth is small, whatever it is."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _places(ratio: Ratio) -> int:
    return 3 if ratio.value < 10 else number.decimals(ratio.value)


def _share(chosen: Sequence[ComparedCell], total: int) -> str:
    """Say how many of all cells these are, and which of them is furthest from 1."""
    furthest = max(chosen, key=_distance)
    found = _change(furthest)
    most = "most: " if len(chosen) > 1 else ""
    example = (
        f" ({most}{place(furthest)}, {ratio_value(found.ratio)} the "
        f"{furthest.main.title})"
        if found.direction is not Direction.UNCLEAR
        else ""
    )
    if total == 1:
        return example or f" in {place(furthest)}"
    return f" in {len(chosen)} of {number.count(total, 'cell')}{example}"


def _distance(cell: ComparedCell) -> float:
    """Return how far a ratio is from 1."""
    value = _change(cell).ratio.value
    return abs(log(value)) if 0 < value < inf else inf


def _needs(cells: Sequence[ComparedCell]) -> Iterator[str]:
    """Say in how many cells another figure than the main one is more, or less."""
    for name, title in NEEDS.items():
        found = [cell.changes[name] for cell in cells if name in cell.changes]
        counts = [
            word if len(cells) == 1 else f"{word} in {count}"
            for direction, word in (
                (Direction.HIGHER, "more"),
                (Direction.LOWER, "less"),
            )
            if (count := sum(each.direction is direction for each in found))
        ]
        if counts:
            yield f"; {title} is {listed(counts)}"
