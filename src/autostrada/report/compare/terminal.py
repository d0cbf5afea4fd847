"""A change report on a terminal, readable at 80 columns and without colours."""

from collections.abc import Iterable, Mapping
from itertools import groupby

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from autostrada.report import number
from autostrada.report.compare.change_report import ChangeReport
from autostrada.report.compare.compared_metric import ComparedMetric
from autostrada.report.text import print_paragraph, text

STYLES = {
    "faster": "green",
    "less": "green",
    "slower": "red",
    "more": "red",
    "undecided": "yellow",
    "failed": "red",
}
"""Styles of verdicts and of the results of conditions."""

WIDTH = 78
"""Width of a table in characters; it is indented by two."""


def print_changes(report: ChangeReport, console: Console) -> None:
    """Print both sides, warnings, all rows, the conclusion and the conditions."""
    for side, origin in zip("AB", report.origins, strict=True):
        _mark(console, side, origin)
    for warning in report.warnings:
        _mark(console, "!", warning, "yellow")
    _print_rows(report, console)
    console.print()
    for line in report.unmatched:
        print_paragraph(console, line, "red")
    for line in report.reasons:
        print_paragraph(console, line)
    if report.unmatched or any(report.reasons):
        console.print()
    print_paragraph(console, report.conclusion, "bold")
    for line in report.causes:
        print_paragraph(console, line)
    for gate in report.gates:
        for line in gate.lines:
            print_paragraph(console, line, STYLES.get(line.partition(":")[0], ""))
    print_paragraph(console, report.note, "dim")


def _print_rows(report: ChangeReport, console: Console) -> None:
    """Print a table for each cell; all have the same columns."""
    columns = {"": [row.metric.column for row in report.rows], **report.columns}
    widths = _widths(columns)
    lines = zip(report.rows, zip(*columns.values(), strict=True), strict=True)
    for workload, of_workload in groupby(lines, lambda line: line[0].workload):
        console.print()
        if workload:
            print_paragraph(console, workload, "bold underline")
        console.print(_table(widths, [], show_header=True))
        for _, of_cell in groupby(of_workload, lambda line: line[0].contestant):
            rows, texts = zip(*of_cell, strict=True)
            print_paragraph(console, _title(rows[0], report.repetition), "bold")
            console.print(_table(widths, texts, show_header=False))


def _title(row: ComparedMetric, repetition: str) -> str:
    before, after = row.repetitions
    counts = f"{before} and {after} {repetition}s"
    if before == after:
        counts = f"{number.count(before, repetition)} each"
    return f"{row.contestant} · {counts}" if row.contestant else counts


def _widths(columns: Mapping[str, list[str]]) -> dict[str, int]:
    """Return the width of each column; the first one has what the others leave."""
    widths = {title: max(map(len, [title, *texts])) for title, texts in columns.items()}
    others = sum(width + 1 for title, width in widths.items() if title)
    return widths | {"": max(1, min(widths.get("", 1), WIDTH - others))}


def _table(
    widths: Mapping[str, int], lines: Iterable[Iterable[str]], *, show_header: bool
) -> Padding:
    table = Table(
        box=None,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        header_style="dim",
        show_header=show_header,
    )
    for title, width in widths.items():
        table.add_column(
            title,
            width=width,
            justify="left" if title in {"", "verdict"} else "right",
            overflow="fold",
        )
    for line in lines:
        table.add_row(*(text(shown, STYLES.get(shown, "")) for shown in line))
    return Padding(table, (0, 0, 0, 2))


def _mark(console: Console, mark: str, line: str, style: str = "") -> None:
    """Print a text after a mark; wrapped lines are indented like the first."""
    marked = Table.grid(padding=(0, 2, 0, 0))
    marked.add_row(text(mark, style), text(line, style))
    console.print(marked)
