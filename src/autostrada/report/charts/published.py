"""
Published beside measured: how many times the best of a table each contestant has.

Machines and servers differ, so absolute figures do not compare; what a table says of
the distance between its own contestants does. Each table's best is at 1.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt

from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.experiment.publication import PublishedTable
from autostrada.report import number
from autostrada.report.charts import theme
from autostrada.report.charts.theme import Drawing, Key
from autostrada.report.published import measured
from autostrada.report.results import Results
from autostrada.stats.figures import FIGURES, Figure

CLIENTS_MIN = 3
"""A table that compares fewer has no order worth a chart."""

OURS = "measured here"


def published_chart(results: Results) -> Drawing | None:
    """Draw the tables that compare contestants in a workload; None without any."""
    tables = results.publication.table if results.publication else ()
    compared = [each for each in tables if _compares(each)]
    rows = [row for each in compared for row in _theirs(each)]
    rows += [row for each in compared[:1] for row in _ours(each, compared, results)]
    if not compared or not rows:
        return None
    order = list(dict.fromkeys(_by_ratio(rows)))
    legend = _legend([OURS, *(each.title for each in compared)])
    y = theme.names_axis(order)
    x = theme.log_axis("to_best", [row["to_best"] for row in rows], unit=number.TIMES)
    data = alt.Chart(alt.InlineData(values=rows))
    span = data.mark_rule(color=theme.FAINT, strokeWidth=2).encode(
        x=alt.X("min(to_best):Q"), x2=alt.X2("max(to_best):Q"), y=y
    )
    chart = alt.layer(span, _points(data, x, y, legend))
    figure = FIGURES[compared[0].figure]
    return Drawing(
        title=f"{figure.title}, relative to the best of the same table, logarithmic",
        legend=legend,
        spec=theme.document(
            chart.properties(height=theme.ROW_PX * len(order)),
            f"{figure.title} relative to the best of the same table, for "
            f"{', '.join(order)}, in {'; '.join(key.label for key in legend)}. The "
            f"tables below have the same figures.",
        ),
    )


def _compares(table: PublishedTable) -> bool:
    """Whether a table has a figure of several contestants in one workload."""
    cells = [table.cell(each) for each in table.cells if each.value]
    return (
        len(cells) >= CLIENTS_MIN
        and len({each.workload for each in cells}) == 1
        and len({(each.server, each.client) for each in cells}) == len(cells)
    )


def _best(values: Sequence[float], figure: Figure) -> float:
    return max(values) if figure.better == "higher" else min(values)


def _theirs(table: PublishedTable) -> list[dict[str, Any]]:
    figure = FIGURES[table.figure]
    values = {table.cell(each): each.value for each in table.cells if each.value}
    best = _best([*values.values()], figure)
    return [_row(cell, value / best, table.title) for cell, value in values.items()]


def _ours(
    table: PublishedTable, tables: Sequence[PublishedTable], results: Results
) -> list[dict[str, Any]]:
    figure = FIGURES[table.figure]
    alike = [each for each in tables if each.figure == table.figure]
    cells = {each.cell(published) for each in alike for published in each.cells}
    found = {
        cell: value
        for cell in sorted(cells)
        if (value := measured(cell, figure, results))
    }
    best = _best([*found.values()], figure) if found else 1.0
    return [_row(cell, value / best, OURS) for cell, value in found.items()]


def _row(cell: Cell, to_best: float, source: str) -> dict[str, Any]:
    ends = [each for each in (cell.server, cell.client) if each != REFERENCE]
    return {
        "contestant": " → ".join(ends),
        "to_best": to_best,
        "ratio": number.times(to_best),
        "source": source,
    }


def _by_ratio(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield those that were measured here in their order, then the others in theirs."""
    ordered = sorted(rows, key=lambda row: (row["source"] != OURS, row["to_best"]))
    yield from (row["contestant"] for row in ordered)


def _legend(titles: Sequence[str]) -> tuple[Key, ...]:
    """Return a key a table; what was measured here comes first."""
    return tuple(
        Key(
            label=title,
            colour=theme.series_colour(place),
            shape="hollow" if place else "dot",
        )
        for place, title in enumerate(titles)
    )


def _points(data: alt.Chart, x: alt.X, y: alt.Y, legend: Sequence[Key]) -> alt.Chart:
    titles = [key.label for key in legend]
    strokes = [key.colour for key in legend]
    fills = [key.colour if key.shape == "dot" else "transparent" for key in legend]
    shapes = ["circle" if key.shape == "dot" else "diamond" for key in legend]
    # The later a table, the smaller its points: those below them stay visible.
    sizes = [220 - 180 * place // len(legend) for place in range(len(legend))]
    points = data.mark_point(strokeWidth=2, opacity=1)
    dots: alt.Chart = points.encode(
        x=x,
        y=y,
        size=alt.Size(
            "source:O", scale=alt.Scale(domain=titles, range=sizes), legend=None
        ),
        stroke=alt.Stroke(
            "source:N", scale=alt.Scale(domain=titles, range=strokes), legend=None
        ),
        fill=alt.Fill(
            "source:N", scale=alt.Scale(domain=titles, range=fills), legend=None
        ),
        shape=alt.Shape(
            "source:N", scale=alt.Scale(domain=titles, range=shapes), legend=None
        ),
        tooltip=["contestant:N", "source:N", "ratio:N"],
    )
    return dots
