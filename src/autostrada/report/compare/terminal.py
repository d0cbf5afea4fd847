"""A comparison for a terminal, readable at 80 columns and without colours."""

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from autostrada.report import number
from autostrada.report.compare import words
from autostrada.report.compare.circumstance import circumstances
from autostrada.report.compare.comparison import ComparedCell, Comparison
from autostrada.report.compare.figure import SHOWN, Figure
from autostrada.report.compare.gate import Judgement
from autostrada.report.text import without_thin_spaces

STYLES = {"faster": "green", "less": "green", "slower": "red", "more": "red"}

WIDTHS = {
    "": 6,
    "A": 9,
    "B": 9,
    "B/A": 7,
    "interval": 13,
    "p": 6,
    "verdict": len("not distinguishable"),
}


def print_comparison(
    comparison: Comparison, judgements: Sequence[Judgement], console: Console
) -> None:
    """Print what is compared, every cell, the warnings, and what it comes to."""
    _mark(console, "A", words.origin(comparison.before))
    _mark(console, "B", words.origin(comparison.after))
    for warning in circumstances(comparison):
        _mark(console, "!", warning, "yellow")
    for workload, cells in comparison.by_workload.items():
        console.print()
        _say(console, workload, "bold underline")
        console.print(Padding(_table(header=True), (0, 0, 0, 2)))
        for cell in cells:
            _say(console, _title(cell), "bold")
            console.print(Padding(_figures(cell), (0, 0, 0, 2)))
    if comparison.lone:
        console.print()
    for lone in comparison.lone:
        _say(console, words.lone(lone), "red")
    console.print()
    _say(console, words.conclusion(comparison), "bold")
    for judgement in judgements:
        for line in words.verdicts(judgement):
            _say(console, line, "red" if line.startswith("fails") else "")
    _say(console, words.note(comparison), "dim")


def _title(cell: ComparedCell) -> str:
    repetitions = {len(cell.before.ns_per_message), len(cell.after.ns_per_message)}
    if len(repetitions) == 1:
        often = number.count(repetitions.pop(), "repetition") + " each"
    else:
        first, second = cell.before.ns_per_message, cell.after.ns_per_message
        often = f"{len(first)} and {len(second)} repetitions"
    return f"{cell.contestant} · {often}"


def _figures(cell: ComparedCell) -> Table:
    table = _table(header=False)
    for figure in SHOWN:
        table.add_row(*map(_text, _row(figure, cell)))
    return table


def _row(figure: Figure, cell: ComparedCell) -> list[str]:
    found = cell.changes[figure.name]
    before, after = figure.median(cell.before), figure.median(cell.after)
    medians = ["-" if each is None else words.amount(each) for each in (before, after)]
    if not found:
        return [figure.title, *medians, "", "", "", "not known"]
    return [
        figure.title,
        *medians,
        words.ratio_value(found.ratio),
        words.ratio_bounds(found.ratio),
        words.probability(found.p),
        figure.verdict(found),
    ]


def _table(*, header: bool) -> Table:
    """Make an empty table: those of all cells have the same columns, titled once."""
    table = Table(
        box=None,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        header_style="dim",
        show_header=header,
    )
    for title, width in WIDTHS.items():
        table.add_column(
            title,
            width=width,
            justify="left" if title in {"", "verdict"} else "right",
            overflow="fold",
        )
    return table


def _mark(console: Console, mark: str, line: str, style: str = "") -> None:
    """Print a line behind a mark; its further lines are indented like the first."""
    marked = Table.grid(padding=(0, 2, 0, 0))
    marked.add_row(_text(mark, style), _text(line, style))
    console.print(marked)


def _say(console: Console, line: str, style: str = "") -> None:
    console.print(_text(line, style))


def _text(line: str, style: str = "") -> Text:
    return Text(without_thin_spaces(line), style or STYLES.get(line, ""))
