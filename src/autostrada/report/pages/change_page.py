"""The page of a comparison: what changed, its table, and both sides of loads."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat

from autostrada.report.charts.load import overlaid_charts
from autostrada.report.compare.change_report import ChangeReport
from autostrada.report.compare.compared_metric import ComparedMetric
from autostrada.report.number import count
from autostrada.report.pages.blocks import (
    Page,
    Paragraph,
    Section,
    Table,
    TableCell,
    TableColumn,
    TableRow,
)
from autostrada.report.pages.load_page import chart_sections
from autostrada.store.history import SavedLoad

STYLES = {"faster": "passed", "less": "passed", "slower": "failed", "more": "failed"}
"""Styles of verdicts."""


def change_page(report: ChangeReport) -> Page:
    """Return the page; charts overlay the loads of both sides, if there are any."""
    title = "{1} compared with {0}".format(*report.names)
    lines = (*report.causes, *(line for gate in report.gates for line in gate.lines))
    notes = (*report.unmatched, *report.reasons, report.note, *_absences(report.loads))
    answer = Paragraph(text=report.conclusion, kind="headline")
    further = (Paragraph(text=line, kind="further") for line in lines)
    below = (Paragraph(text=note, kind="note") for note in notes)
    return Page(
        title=f"{title} · Autostrada",
        overline="Autostrada · comparison",
        heading=title,
        at="",
        meta=tuple(map(": ".join, zip("AB", report.origins, strict=True))),
        warnings=report.warnings,
        sections=(
            Section(title="", blocks=(answer, *further)),
            Section(title="Changes", blocks=(_table(report), *below)),
            *chart_sections(overlaid_charts(report.loads)),
        ),
        footer="Created by Autostrada. The page loads nothing from the network.",
    )


def _absences(sides: Mapping[str, Sequence[SavedLoad]]) -> Iterator[str]:
    """Yield how many loads are in no chart: an earlier version has saved them."""
    for name, loads in sides.items():
        if absent := sum(not load.messages_per_s for load in loads):
            of = f"{absent} of {count(len(loads), 'load')}"
            yield f"Not in the charts, because the history lacks them: {of} of {name}."


def _table(report: ChangeReport) -> Table:
    texts = report.labels | report.columns
    words = {*report.labels, "verdict"}
    lines = zip(*texts.values(), strict=True)
    return Table(
        name="changes",
        columns=tuple(
            TableColumn(title=title, kind="text" if title in words else "number")
            for title in texts
        ),
        rows=tuple(
            TableRow(cells=tuple(map(_cell, repeat(row), texts, line)))
            for row, line in zip(report.rows, lines, strict=True)
        ),
    )


def _cell(row: ComparedMetric, title: str, text: str) -> TableCell:
    values = dict(zip("AB", row.values, strict=True))
    if row.change:
        values["B/A"] = row.change.ratio.value
    kind = STYLES.get(text, "") if title == "verdict" else ""
    return TableCell(text=text, value=values.get(title), kind=kind)
