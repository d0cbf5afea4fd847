"""Sentences about the result of a comparison, computed only from its metrics."""

from collections.abc import Iterator, Sequence
from math import inf, isinf, log
from statistics import median

from autostrada.report import number
from autostrada.report.compare.comparison import (
    NOT_DISTINGUISHABLE,
    ComparedCell,
    Comparison,
    UnmatchedCell,
    compared,
    verdict,
)
from autostrada.report.compare.gate import ConditionCheck, evidence, unchecked_reason
from autostrada.report.compare.side import Side
from autostrada.report.metrics import written
from autostrada.report.text import listed
from autostrada.stats.change import ERROR_MAX, Change, Direction
from autostrada.stats.interval import CONFIDENCE_MIN
from autostrada.stats.metrics import METRICS
from autostrada.stats.ratio import Ratio

SHARING_CELLS_MIN = 5
"""Minimum number of cells from which a common change is attributed to the machine."""

NEEDS = {
    "server_cpu_us_per_message": "server CPU per message",
    "client_cpu_us_per_message": "client CPU per message",
    "server_memory_bytes_max": "server memory",
    "client_memory_bytes_max": "client memory",
}
"""Metrics of resource usage that the conclusion mentions, with their names there."""

NOTE = (
    "B/A is the ratio, with its bootstrap interval; p is that of the Mann-Whitney "
    "test. A metric has changed if both agree: the interval excludes 1, and chance "
    "produces such an order in this direction at most "
    f"{number.percent(ERROR_MAX)} of the time. The interval covers the variation "
    "between repetitions, not that of the machine from one run to the next."
)


def conclusion(comparison: Comparison) -> str:
    """Say in one sentence whether performance changed between A and B."""
    cells = [cell for cell in comparison.cells if cell.change]
    before, after = names(comparison)
    if not cells:
        shared = "ranking metric" if comparison.cells else "cell"
        return (
            f"Nothing can be compared: {before} and {after} have no {shared} in common."
        )
    words = [verdict(cell.main, _change(cell).direction) for cell in cells]
    found = {
        word: [cell for cell, its in zip(cells, words, strict=True) if its == word]
        for word in ("faster", "more", "slower", "less", NOT_DISTINGUISHABLE)
    }
    verdict_counts = listed(
        [
            f"{word}{_share(chosen, len(cells))}"
            for word, chosen in found.items()
            if chosen
        ]
    )
    needs = "".join(_needs(cells))
    return (
        f"Compared with {before}, {after} is {verdict_counts}{needs}."
        f"{_shared(comparison)}"
    )


def _change(cell: ComparedCell) -> Change:
    assert cell.change, "both sides have the main metric"
    return cell.change


def _shared(comparison: Comparison) -> str:
    """
    State the median change of all cells, and how many cells differ from it.

    The text is empty for two contestants, for few cells and for cells with different
    main metrics.
    """
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
    changes = [
        compared(
            cell.before.metrics[cell.main.name],
            cell.after.metrics[cell.main.name],
            factor,
        )
        for cell in cells
    ]
    others = sum(change.direction is not Direction.UNCLEAR for change in changes)
    return (
        f" The median of the cells' ratios is {number.plain(factor, 3)}{number.TIMES}; "
        f"a change of all cells is more likely due to the machine than to them. "
        f"Relative to the median, {others} of {len(cells)} cells differ."
    )


def note(comparison: Comparison) -> str:
    """Explain the columns, and state the lowest confidence if it is low."""
    attained = min(
        (cell.change.ratio.confidence for cell in comparison.cells if cell.change),
        default=1,
    )
    if not attained:
        return f"{NOTE} One repetition gives no interval."
    if attained < CONFIDENCE_MIN:
        written_confidence = number.confidence(attained)
        return f"{NOTE} So few repetitions give {written_confidence} confidence."
    return NOTE


def names(comparison: Comparison) -> tuple[str, str]:
    """Return the names of both sides in a sentence: contestants, or A and B."""
    before, after = comparison.before.address, comparison.after.address
    return before.contestant or "A", after.contestant or "B"


def cell_name(cell: ComparedCell) -> str:
    """Name a cell in a sentence; for two contestants it is named by its workload."""
    first, second = cell.before.cell.contestant, cell.after.cell.contestant
    return f"{first} in {cell.workload}" if first == second else cell.workload


def unmatched(cell: UnmatchedCell) -> str:
    """Say which side has a cell, and why the other side does not."""
    other = "B" if cell.side == "A" else "A"
    return (
        f"{cell.cell.contestant} in {cell.cell.workload}: only in {cell.side}; "
        f"{other}: {cell.reason}"
    )


def origin(side: Side) -> str:
    """Describe the run of a side: number, experiment, store, time and version."""
    run = side.results.run
    contestant = f"{side.address.contestant} in " if side.address.contestant else ""
    started_at = run.started_at.strftime("%Y-%m-%d %H:%M UTC")
    return (
        f"{contestant}run {side.results.run_id} of {run.experiment} in "
        f"{side.address.store}, "
        f"{started_at}, Autostrada {run.autostrada_version}"
    )


def verdicts(check: ConditionCheck) -> Iterator[str]:
    """Yield the result of a condition: cells that fail, pass or cannot be checked."""
    condition = check.condition
    for cell in check.failed:
        value, low, high = (
            change_percent(found)
            if condition.is_of_change
            else written(METRICS[condition.metric], found)
            for found in evidence(condition, cell)
        )
        found = f"{value} ({low} to {high})"
        yield f"failed: {condition.text}: {cell_name(cell)}: {found}"
    if check.passed:
        cells = number.count(len(check.passed), "cell")
        yield f"passed: {condition.text}: in {cells}"
    for cell in check.unchecked:
        reason = unchecked_reason(condition, cell)
        yield f"not judged: {condition.text}: {cell_name(cell)}: {reason}"


def change_percent(ratio: float) -> str:
    """Format a ratio as a change: ``+9.1%``."""
    if isinf(ratio):
        return "+∞"
    return f"{100 * (ratio - 1):+.1f}%"


def ratio_value(ratio: Ratio) -> str:
    """Format a ratio with three decimal places below 10."""
    return f"{_factor(ratio.value, _places(ratio))}{number.TIMES}"


def ratio_bounds(ratio: Ratio) -> str:
    """Format the bounds of a ratio; empty if it has no confidence."""
    if not ratio.confidence:
        return ""
    places = _places(ratio)
    low, high = _factor(ratio.low, places), _factor(ratio.high, places)
    return f"{low}{number.DASH}{high}"


def _factor(value: float, places: int) -> str:
    return "∞" if isinf(value) else number.plain(value, places)


def probability(p: float) -> str:
    """Format a p-value; values below 0.001 are written as ``<0.001``."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _places(ratio: Ratio) -> int:
    return 3 if ratio.value < 10 else number.decimals(ratio.value)


def _share(chosen: Sequence[ComparedCell], total: int) -> str:
    """State the share of the chosen cells, and the one with the largest change."""
    furthest = max(chosen, key=_distance)
    found = _change(furthest)
    most = "most: " if len(chosen) > 1 else ""
    example = (
        f" ({most}{cell_name(furthest)}, {ratio_value(found.ratio)} the "
        f"{furthest.main.title})"
        if found.direction is not Direction.UNCLEAR
        else ""
    )
    if total == 1:
        return example or f" in {cell_name(furthest)}"
    return f" in {len(chosen)} of {number.count(total, 'cell')}{example}"


def _distance(cell: ComparedCell) -> float:
    """Return the distance of a cell's ratio from 1 on a logarithmic scale."""
    value = _change(cell).ratio.value
    return abs(log(value)) if 0 < value < inf else inf


def _needs(cells: Sequence[ComparedCell]) -> Iterator[str]:
    """Yield in how many cells CPU time or memory increased or decreased."""
    for name, title in NEEDS.items():
        found = [cell.changes[name] for cell in cells if name in cell.changes]
        counts = [
            word if len(cells) == 1 else f"{word} in {count}"
            for direction, word in (
                (Direction.HIGHER, "more"),
                (Direction.LOWER, "less"),
            )
            if (count := sum(difference.direction is direction for difference in found))
        ]
        if counts:
            yield f"; {title} is {listed(counts)}"
