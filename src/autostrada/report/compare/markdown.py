"""Markdown output of a comparison for a pull request, with the conclusion first."""

import re
from collections.abc import Iterator, Sequence
from html import escape

from autostrada.report.compare import sentences
from autostrada.report.compare.comparison import ComparedCell, Comparison, verdict
from autostrada.report.compare.differences import differences
from autostrada.report.compare.gate import ConditionCheck
from autostrada.report.compare.side import Side
from autostrada.report.text import without_thin_spaces
from autostrada.stats.metrics import METRICS, Metric


def markdown(comparison: Comparison, checks: Sequence[ConditionCheck]) -> str:
    """Return the comparison as Markdown; the same metrics always give the same text."""
    blocks = [
        f"**{_plain(sentences.conclusion(comparison))}**",
        _items(line for check in checks for line in sentences.verdicts(check)),
        f"A: {_origin(comparison.before)}  \nB: {_origin(comparison.after)}",
        _items(differences(comparison)),
        _table(comparison),
        _items(sentences.unmatched(cell) for cell in comparison.unmatched),
        f"<sub>{_plain(sentences.note(comparison))}</sub>",
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _table(comparison: Comparison) -> str:
    every = [cell for cells in comparison.by_workload.values() for cell in cells]
    names = {metric.name for cell in every for metric in cell.shown}
    shown = [metric for metric in METRICS.values() if metric.name in names]
    rows = [[cell.workload, cell.contestant, *_metrics(shown, cell)] for cell in every]
    if not rows:
        return ""
    titles = ["workload", "contestant"]
    for metric in shown:
        titles += [f"{metric.title}: A → B", "B/A", "verdict"]
    marks = [":--", ":--", *["--:", "--:", ":--"] * len(shown)]
    return "\n".join(_line(row) for row in (titles, marks, *rows))


def _metrics(shown: Sequence[Metric], cell: ComparedCell) -> Iterator[str]:
    for metric in shown:
        yield from _metric(metric, cell)


def _metric(metric: Metric, cell: ComparedCell) -> Iterator[str]:
    """Yield both metrics, their ratio with its bounds, and the verdict with p."""
    yield " → ".join(
        outcome.written(metric) if metric.name in outcome.metrics else "-"
        for outcome in (cell.before, cell.after)
    )
    found = cell.changes.get(metric.name)
    if not found:
        yield from ("-", "not known")
        return
    bounds = sentences.ratio_bounds(found.ratio)
    yield f"{sentences.ratio_value(found.ratio)}{f' ({bounds})' if bounds else ''}"
    yield f"{verdict(metric, found.direction)} (p {sentences.probability(found.p)})"


def _line(row: Sequence[str]) -> str:
    return f"| {' | '.join(map(_plain, row))} |"


def _items(lines: Iterator[str] | Sequence[str]) -> str:
    return "\n".join(f"- {_plain(line)}" for line in lines)


def _origin(side: Side) -> str:
    """Name a side as code, so that GitHub does not link a run number to an issue."""
    return f"`{sentences.origin(side)}`"


def _plain(line: str) -> str:
    """Escape a line, so that it contains no tags, emphasis or column separators."""
    text = escape(without_thin_spaces(line), quote=False)
    return re.sub(r"([*_|`\\])", r"\\\1", text)
