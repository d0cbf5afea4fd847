"""
Published and measured values, each relative to the best of its table.

Machines and servers differ, so absolute metrics cannot be compared. Ratios between the
contestants of one table can. The best of each table is at 1.
"""

from collections.abc import Sequence
from typing import Any

import altair as alt

from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.report import number
from autostrada.report.charts import theme
from autostrada.report.charts.theme import Drawing, Key
from autostrada.report.published import PairTable

CLIENTS_MIN = 3
"""Minimum number of contestants of a table that is drawn."""

OURS = "measured here"
"""Name of our own measurements in the legend."""


def published_chart(tables: Sequence[PairTable]) -> Drawing | None:
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
    y = theme.names_axis(order)
    data = alt.Chart(alt.InlineData(values=rows))
    span = data.mark_rule(color=theme.FAINT, strokeWidth=2).encode(
        x=alt.X("min(to_best):Q"), x2=alt.X2("max(to_best):Q"), y=y
    )
    chart = alt.layer(span, _points(data, rows, y, legend))
    metric = compared[0].metric
    return Drawing(
        title=f"{metric.title}, relative to the best of the same table, logarithmic",
        legend=legend,
        spec=theme.document(
            chart.properties(height=theme.ROW_PX * len(order)),
            f"{metric.title} relative to the best of the same table, for "
            f"{', '.join(order)}, in {'; '.join(key.label for key in legend)}. The "
            f"tables below have the same metrics.",
        ),
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


def _points(
    data: alt.Chart, rows: Sequence[dict[str, Any]], y: alt.Y, legend: Sequence[Key]
) -> alt.Chart:
    titles = [key.label for key in legend]
    strokes = [key.colour for key in legend]
    fills = [key.colour if key.shape == "dot" else "transparent" for key in legend]
    shapes = ["circle" if key.shape == "dot" else "diamond" for key in legend]
    # Points of later tables are smaller, so that those below stay visible.
    sizes = [220 - 180 * index // len(legend) for index in range(len(legend))]
    points = data.mark_point(strokeWidth=2, opacity=1)
    dots: alt.Chart = points.encode(
        x=theme.log_axis(
            "to_best", [each["to_best"] for each in rows], unit=number.TIMES
        ),
        y=y,
        size=theme.encoded(alt.Size, "source:O", titles, sizes),
        stroke=theme.encoded(alt.Stroke, "source:N", titles, strokes),
        fill=theme.encoded(alt.Fill, "source:N", titles, fills),
        shape=theme.encoded(alt.Shape, "source:N", titles, shapes),
        tooltip=["contestant:N", "source:N", "ratio:N"],
    )
    return dots
