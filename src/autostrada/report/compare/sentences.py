"""Sentences about changes, computed only from the rows of a report."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import inf, log

from autostrada.report import number
from autostrada.report.compare.compared_metric import ChangeVerdict, ComparedMetric
from autostrada.report.text import few, listed
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
    names: tuple[str, str],
    rows: Sequence[ComparedMetric],
    noun: str,
    details: str = "",
) -> str:
    """
    Say how many rows have which verdict, and which changed most.

    ``noun`` is what a row stands for, as in ``faster in 2 of 4 cells (most: …)``.
    ``details`` end the sentence.
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


def further_time(rows: Iterable[ComparedMetric]) -> str:
    """Say how much more time is expected to decide rows; empty if it is not known."""
    needed_s: dict[str, float] = defaultdict(float)
    for row in rows:
        needed_s[row.workload] = max(needed_s[row.workload], row.needed_s)
    left_s = sum(needed_s.values())
    if not left_s:
        return ""
    return f"would need about {number.minutes(left_s).replace(' ', ' more ')}"


def _written(row: ComparedMetric) -> str:
    """Return a verdict after ``is``."""
    match row.verdict:
        case ChangeVerdict.SAME:
            return f"the {row.verdict_text}"
        case ChangeVerdict.UNDECIDED:
            return "not distinguishable"
    return row.verdict_text


def _share(chosen: Sequence[ComparedMetric], total: int, noun: str) -> str:
    """State the share of the chosen rows, with what is to be said of them."""
    example = _example(chosen)
    if total == 1:
        return f" ({example})" if example else f" in {chosen[0].label}"
    share = f" in {len(chosen)} of {number.count(total, noun)}"
    return f"{share} ({example})" if example else share


def _example(chosen: Sequence[ComparedMetric]) -> str:
    """Return the row with the largest change, or all that are not decided."""
    match chosen[0].verdict:
        case ChangeVerdict.INDISTINGUISHABLE:
            return ""
        case ChangeVerdict.UNDECIDED | ChangeVerdict.NOT_KNOWN:
            more = further_time(chosen)
            labels = few([row.label for row in chosen])
            return f"{labels}, which {more}" if more else labels
    furthest = max(chosen, key=_distance)
    most = "most: " if len(chosen) > 1 else ""
    return f"{most}{furthest.label}, {furthest.effect}"


def _distance(row: ComparedMetric) -> float:
    """Return the distance of a ratio from 1 on a logarithmic scale."""
    assert row.change, "a row with a verdict has a change"
    ratio = row.change.ratio.value
    return abs(log(ratio)) if 0 < ratio < inf else inf


def confidence_note(rows: Iterable[ComparedMetric], repetition: str) -> str:
    """State the lowest confidence of intervals; empty if it is high enough."""
    changes = (row.change for row in rows if row.change)
    attained = min((change.ratio.confidence for change in changes), default=1)
    if not attained:
        return f" One {repetition} gives no interval."
    if attained < CONFIDENCE_MIN:
        written = number.confidence(attained)
        return f" So few {repetition}s give {written} confidence."
    return ""
