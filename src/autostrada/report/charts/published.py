"""
Published and measured values, each relative to the best of its table.

Machines and servers differ, so absolute metrics cannot be compared. Ratios between the
contestants of one table can. The best of each table is at 1.
"""

from collections.abc import Sequence
from math import pi, sqrt
from typing import Any

from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.report import number
from autostrada.report.charts import theme
from autostrada.report.charts.chart import Chart, Key, mark
from autostrada.report.published import PairTable

CLIENTS_MIN = 3
"""Minimum number of contestants of a table that is drawn."""

OURS = "measured here"
"""Name of our own measurements in the legend."""

POINT = {"x": "to_best", "y": "contestant"}


def published_chart(tables: Sequence[PairTable]) -> Chart | None:
    """Draw the tables that compare contestants in one workload; ``None`` if none do."""
    compared = [table for table in tables if _compares(table)]
    rows = [row for table in compared for row in _theirs(table)]
    rows += [row for table in compared[:1] for row in _ours(table, compared)]
    if not compared or not rows:
        return None
    # What was measured here is first.
    ordered = sorted(rows, key=lambda row: (row["source"] != OURS, row["to_best"]))
    order = list(dict.fromkeys(row["contestant"] for row in ordered))
    legend = _legend([OURS, *(table.title for table in compared)])
    metric = compared[0].metric
    dots, spans = _dots(rows, legend), _spans(rows, order)
    return Chart(
        title=f"{metric.title}, relative to the best of the same table, logarithmic",
        description=f"{metric.title} relative to the best of the same table, for "
        f"{', '.join(order)}, in {'; '.join(key.label for key in legend)}. The "
        f"tables below have the same metrics.",
        height_px=theme.ROW_PX * len(order),
        x=theme.log_axis([row["to_best"] for row in rows], unit=number.TIMES),
        y=theme.names_axis(order),
        marks=(
            mark("ruleY", spans, **theme.SPAN, stroke=theme.FAINT, strokeWidth=2),
            mark("dot", dots, **POINT, **theme.LOOK, r="r", strokeWidth=2),
        ),
        table=rows,
        legend=legend,
    )


def _compares(table: PairTable) -> bool:
    """Whether a table has metrics of enough contestants in a single workload."""
    cells = [pair.cell for pair in table.pairs if any(pair.values)]
    return (
        len(cells) >= CLIENTS_MIN
        and len({cell.workload for cell in cells}) == 1
        and len({(cell.server, cell.client) for cell in cells}) == len(cells)
    )


def _theirs(table: PairTable) -> list[dict[str, Any]]:
    found = [
        (pair.cell, value) for pair in table.pairs for value in pair.values if value
    ]
    best = table.metric.best([value for _, value in found])
    return [_row(cell, value / best, table.title) for cell, value in found]


def _ours(table: PairTable, tables: Sequence[PairTable]) -> list[dict[str, Any]]:
    alike = [other for other in tables if other.metric == table.metric]
    medians = {pair.cell: pair.median for other in alike for pair in other.pairs}
    found = {cell: value for cell in sorted(medians) if (value := medians[cell])}
    best = table.metric.best([*found.values()]) if found else 1.0
    return [_row(cell, value / best, OURS) for cell, value in found.items()]


def _row(cell: Cell, to_best: float, source: str) -> dict[str, Any]:
    ends = [end for end in (cell.server, cell.client) if end != REFERENCE]
    return {
        "contestant": " → ".join(ends),
        "to_best": to_best,
        "ratio": number.times(to_best),
        "source": source,
    }


def _legend(titles: Sequence[str]) -> tuple[Key, ...]:
    """Return a key for each title; the first is that of our measurements."""
    return tuple(
        Key(
            label=title,
            colour=theme.series_colour(index),
            shape="hollow" if index else "dot",
        )
        for index, title in enumerate(titles)
    )


def _spans(
    rows: Sequence[dict[str, Any]], order: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the lowest and the highest ratio of each contestant."""
    found = {
        name: [row["to_best"] for row in rows if row["contestant"] == name]
        for name in order
    }
    return [
        {"contestant": name, "low": min(ratios), "high": max(ratios)}
        for name, ratios in found.items()
    ]


def _dots(
    rows: Sequence[dict[str, Any]], legend: Sequence[Key]
) -> list[dict[str, Any]]:
    # Points of later tables are smaller, so that those below stay visible.
    looks = {
        key.label: theme.look(key) | {"r": sqrt((220 - 180 * at // len(legend)) / pi)}
        for at, key in enumerate(legend)
    }
    shown = ("contestant", "source", "ratio")
    return [
        row
        | looks[row["source"]]
        | {"title": theme.tooltip({column: row[column] for column in shown})}
        for row in rows
    ]
