"""Terminal output of a comparison, readable at 80 columns and without colours."""

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from autostrada.report import number
from autostrada.report.compare import sentences
from autostrada.report.compare.comparison import ComparedCell, Comparison, verdict
from autostrada.report.compare.differences import differences
from autostrada.report.compare.gate import ConditionCheck
from autostrada.report.text import print_paragraph, text
from autostrada.stats.metrics import Metric

STYLES = {"faster": "green", "less": "green", "slower": "red", "more": "red"}

WIDTHS = {
    "": 10,
    "A": 9,
    "B": 9,
    "B/A": 7,
    "interval": 13,
    "p": 6,
    "verdict": len("indistinguishable"),
}


def print_comparison(
    comparison: Comparison, checks: Sequence[ConditionCheck], console: Console
) -> None:
    """Print both sides, warnings, all cells, the conclusion and the checks."""
    _mark(console, "A", sentences.origin(comparison.before))
    _mark(console, "B", sentences.origin(comparison.after))
    for warning in differences(comparison):
        _mark(console, "!", warning, "yellow")
    for workload, cells in comparison.by_workload.items():
        console.print()
        print_paragraph(console, workload, "bold underline")
        console.print(Padding(_table(header=True), (0, 0, 0, 2)))
        for cell in cells:
            print_paragraph(console, _title(cell), "bold")
            console.print(Padding(_metrics(cell), (0, 0, 0, 2)))
    if comparison.unmatched:
        console.print()
    for unmatched in comparison.unmatched:
        print_paragraph(console, sentences.unmatched(unmatched), "red")
    console.print()
    print_paragraph(console, sentences.conclusion(comparison), "bold")
    for check in checks:
        for line in sentences.verdicts(check):
            print_paragraph(console, line, "red" if line.startswith("failed") else "")
    print_paragraph(console, sentences.note(comparison), "dim")


def _title(cell: ComparedCell) -> str:
    repetitions = {cell.before.measured, cell.after.measured}
    if len(repetitions) == 1:
        counts = number.count(repetitions.pop(), "repetition") + " each"
    else:
        counts = f"{cell.before.measured} and {cell.after.measured} repetitions"
    return f"{cell.contestant} · {counts}"


def _metrics(cell: ComparedCell) -> Table:
    table = _table(header=False)
    for metric in cell.shown:
        row = _row(metric, cell)
        table.add_row(*(text(shown, STYLES.get(shown, "")) for shown in row))
    return table


def _row(metric: Metric, cell: ComparedCell) -> list[str]:
    found = cell.changes.get(metric.name)
    medians = [
        outcome.written(metric) if metric.name in outcome.metrics else "-"
        for outcome in (cell.before, cell.after)
    ]
    if not found:
        return [metric.column, *medians, "", "", "", "not known"]
    return [
        metric.column,
        *medians,
        sentences.ratio_value(found.ratio),
        sentences.ratio_bounds(found.ratio),
        sentences.probability(found.p),
        verdict(metric, found.direction),
    ]


def _table(*, header: bool) -> Table:
    """Return an empty table; all cells have the same columns, with a header once."""
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
    """Print a text after a mark; wrapped lines are indented like the first."""
    marked = Table.grid(padding=(0, 2, 0, 0))
    marked.add_row(text(mark, style), text(line, style))
    console.print(marked)
