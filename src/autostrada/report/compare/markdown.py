"""A comparison in Markdown, as a pull request shows it: the conclusion first."""

import re
from collections.abc import Iterator, Sequence
from html import escape

from autostrada.report.compare import words
from autostrada.report.compare.circumstance import circumstances
from autostrada.report.compare.comparison import ComparedCell, Comparison
from autostrada.report.compare.figure import SHOWN, Figure
from autostrada.report.compare.gate import Judgement
from autostrada.report.compare.side import Side
from autostrada.report.text import without_thin_spaces


def markdown(comparison: Comparison, judgements: Sequence[Judgement]) -> str:
    """Return the whole comparison; the same figures always make the same text."""
    blocks = [
        f"**{_plain(words.conclusion(comparison))}**",
        _items(line for each in judgements for line in words.verdicts(each)),
        f"A: {_origin(comparison.before)}  \nB: {_origin(comparison.after)}",
        _items(circumstances(comparison)),
        _table(comparison),
        _items(words.lone(each) for each in comparison.lone),
        f"<sub>{_plain(words.note(comparison))}</sub>",
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _table(comparison: Comparison) -> str:
    rows = [
        [workload, cell.contestant, *_figures(cell)]
        for workload, cells in comparison.by_workload.items()
        for cell in cells
    ]
    if not rows:
        return ""
    titles = ["workload", "contestant"]
    for figure in SHOWN:
        titles += [f"{figure.title}: A → B", "B/A", "verdict"]
    marks = [":--", ":--", *["--:", "--:", ":--"] * len(SHOWN)]
    return "\n".join(_line(row) for row in (titles, marks, *rows))


def _figures(cell: ComparedCell) -> Iterator[str]:
    for figure in SHOWN:
        yield from _figure(figure, cell)


def _figure(figure: Figure, cell: ComparedCell) -> Iterator[str]:
    """Yield the medians, their ratio with its bounds, and the verdict with its p."""
    medians = (figure.median(samples) for samples in (cell.before, cell.after))
    yield " → ".join("-" if each is None else words.amount(each) for each in medians)
    found = cell.changes[figure.name]
    if not found:
        yield from ("-", "not known")
        return
    bounds = words.ratio_bounds(found.ratio)
    yield f"{words.ratio_value(found.ratio)}{f' ({bounds})' if bounds else ''}"
    yield f"{figure.verdict(found)} (p {words.probability(found.p)})"


def _line(row: Sequence[str]) -> str:
    return f"| {' | '.join(map(_plain, row))} |"


def _items(lines: Iterator[str] | Sequence[str]) -> str:
    return "\n".join(f"- {_plain(line)}" for line in lines)


def _origin(side: Side) -> str:
    """Name a side as code: GitHub takes the number of a run for that of an issue."""
    return f"`{words.origin(side)}`"


def _plain(line: str) -> str:
    """Write a line so that nothing in it is taken for a tag, emphasis or a column."""
    text = escape(without_thin_spaces(line), quote=False)
    return re.sub(r"([*_|`\\])", r"\\\1", text)
