"""Sentences about changes, computed only from the rows of a report."""

from collections.abc import Iterable, Sequence
from math import inf, log

from autostrada.report import number
from autostrada.report.compare.change_report import ChangeRow, ChangeVerdict
from autostrada.report.text import listed
from autostrada.stats.change import ERROR_MAX
from autostrada.stats.interval import CONFIDENCE_MIN

NOTE = (
    "B/A is the ratio, with its bootstrap interval; p is that of the Mann-Whitney "
    "test. A metric has changed if both agree: the interval excludes 1, and chance "
    "produces such an order in this direction at most "
    f"{number.percent(ERROR_MAX)} of the time. Each metric is tested by itself: at "
    f"most {number.percent(2 * ERROR_MAX)} of those that did not change are expected "
    "to differ by chance."
)


def conclude(
    names: tuple[str, str], rows: Sequence[ChangeRow], noun: str, details: str = ""
) -> str:
    """
    Say how many rows have which verdict, and which changed most.

    All rows have a ratio. ``noun`` is what a row stands for, as in ``faster in 2 of 4
    cells (most: …)``. ``details`` end the sentence.
    """
    before, after = names
    if not rows:
        return (
            f"Nothing can be compared: {before} and {after} have no {noun} in common."
        )
    verdicts = listed(
        [
            f"{_written(chosen[0])}{_share(chosen, len(rows), noun)}"
            for verdict in ChangeVerdict
            if (chosen := [row for row in rows if row.verdict is verdict])
        ]
    )
    return f"Compared with {before}, {after} is {verdicts}{details}."


def _written(row: ChangeRow) -> str:
    is_same = row.verdict is ChangeVerdict.SAME
    return f"the {row.verdict_text}" if is_same else row.verdict_text


def _share(chosen: Sequence[ChangeRow], total: int, noun: str) -> str:
    """State the share of the chosen rows, and the one with the largest change."""
    furthest = max(chosen, key=_distance)
    most = "most: " if len(chosen) > 1 else ""
    example = f" ({most}{furthest.label}, {furthest.effect})"
    if furthest.verdict is ChangeVerdict.INDISTINGUISHABLE:
        example = ""
    if total == 1:
        return example or f" in {furthest.label}"
    return f" in {len(chosen)} of {number.count(total, noun)}{example}"


def _distance(row: ChangeRow) -> float:
    """Return the distance of a ratio from 1 on a logarithmic scale."""
    assert row.ratio, "a row with a verdict has a ratio"
    return abs(log(row.ratio.value)) if 0 < row.ratio.value < inf else inf


def confidence_note(rows: Iterable[ChangeRow], repetition: str) -> str:
    """State the lowest confidence of intervals; empty if it is high enough."""
    attained = min((row.ratio.confidence for row in rows if row.ratio), default=1)
    if not attained:
        return f" One {repetition} gives no interval."
    if attained < CONFIDENCE_MIN:
        written = number.confidence(attained)
        return f" So few {repetition}s give {written} confidence."
    return ""
