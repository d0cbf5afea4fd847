"""
A metric over a swept parameter: a curve for each server, client and workload.

The rule through a point is its interval. A published value is a hollow diamond above
the same value, in the colour of the cell's curve.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import altair as alt

from autostrada.experiment.matrix import Cell
from autostrada.report.charts import theme
from autostrada.report.charts.axis import parameter_axis, value_axis
from autostrada.report.charts.sweep import Curve, CurvePoint, Sweep
from autostrada.report.charts.theme import Drawing, Key
from autostrada.report.metrics import written
from autostrada.report.results import Results
from autostrada.stats.metrics import Metric

HEIGHT_PX = 280
OVER = {
    "offered_per_s": "events offered per second",
    "connections": "connections",
    "processes": "client processes",
    "stocks": "stocks per message",
    "every_ms": "milliseconds between messages",
}
"""Titles of swept parameters; any other parameter is shown by its name."""

PUBLISHED = Key(label="published", colour=theme.MUTED, shape="hollow")


def curve_chart(sweep: Sweep, metric: Metric, results: Results) -> Drawing | None:
    """Draw one metric of a sweep; ``None`` if no line has two points."""
    labels = sweep.labels
    published = published_values(results, metric)
    rows = [
        row
        for label, line in zip(labels, sweep.lines, strict=True)
        for row in line_rows(label, line, metric, published)
    ]
    if not is_curve(rows):
        return None
    colours = [theme.series_colour(index) for index in range(len(labels))]
    has_published = any(row["published"] is not None for row in rows)
    has_failed = any(row["absence"] for row in rows)
    over = OVER.get(sweep.parameter, sweep.parameter)
    legend = [
        Key(label=label, colour=colour, shape="dot")
        for label, colour in zip(labels, colours, strict=True)
    ]
    legend += [PUBLISHED] if has_published else []
    return Drawing(
        title=f"{metric.group}: {metric.title}, over {over} ({sweep.title})"
        + (", × marks failures" if has_failed else ""),
        legend=tuple(legend),
        spec=theme.document(
            curve_layers(
                rows, metric, dict(zip(labels, colours, strict=True))
            ).properties(height=HEIGHT_PX),
            f"{metric.title} over {over}, for {', '.join(labels)} ({sweep.title}). The "
            f"tables have the same metrics.",
        ),
    )


def published_values(results: Results, metric: Metric) -> Mapping[Cell, float]:
    """Return the first published value of a metric, by cell, in the metric's unit."""
    tables = results.publication.table if results.publication else ()
    return {
        table.cell(published): values[0]
        for table in tables
        if table.metric == metric.name
        for published in table.cells
        if (values := table.values(published))
    }


def is_curve(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether at least one line has two measured points."""
    measured = [row["line"] for row in rows if row["median"] is not None]
    return any(measured.count(line) > 1 for line in {*measured})


def line_rows(
    label: str, line: Curve, metric: Metric, published: Mapping[Cell, float]
) -> Iterator[dict[str, Any]]:
    """Yield a row for each point of a line, with the published value of its cell."""
    for point in line.points:
        yield _row(label, line, point, metric) | {
            "published": published.get(point.outcome.cell)
        }


def _row(label: str, line: Curve, point: CurvePoint, metric: Metric) -> dict[str, Any]:
    outcome = point.outcome
    sampled = outcome.metrics.get(metric.name)
    interval = sampled.interval if sampled else None
    return {
        "line": label,
        "workload": line.workload,
        "server": line.server,
        "client": line.client,
        "x": point.x,
        "metric": metric.name,
        "median": interval.median if interval else None,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "written": written(metric, interval.median) if interval else "",
        "bottleneck": outcome.bottleneck,
        "absence": outcome.absence,
    }


def curve_layers(
    rows: Sequence[Mapping[str, Any]],
    metric: Metric,
    colours: Mapping[str, str],
    further_values: Sequence[float] = (),
) -> alt.LayerChart | alt.FacetChart:
    """
    Return the layers of a chart of curves: lines, intervals, points and failures.

    The vertical axis also includes ``further_values``, in the unit of the metric.
    """
    data = alt.Chart(alt.InlineData(values=rows))
    values = [
        row[key]
        for row in rows
        for key in ("median", "low", "high", "published")
        if row[key] is not None
    ]
    values += further_values
    x = parameter_axis("x", [row["x"] for row in rows])
    y = value_axis("median", values, metric.unit)
    colour = alt.Color(
        "line:N",
        scale=alt.Scale(domain=list(colours), range=list(colours.values())),
        legend=None,
    )
    measured = data.transform_filter("isValid(datum.median)")
    tooltip = [
        "line:N",
        "x:Q",
        alt.Tooltip("written:N", title=metric.title),
        "bottleneck:N",
    ]
    layers = [
        measured.mark_line(strokeWidth=1.5).encode(x=x, y=y, color=colour),
        measured.mark_rule(strokeWidth=5, opacity=0.35).encode(
            x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=colour
        ),
        measured.mark_point(size=50, filled=True, opacity=1).encode(
            x=x, y=y, color=colour, tooltip=tooltip
        ),
    ]
    # Vega reports an error for a layer without rows.
    if any(row["published"] is not None for row in rows):
        layers.append(_published(data, x, colour))
    if any(row["absence"] for row in rows):
        layers.append(_failed(data, x, colour))
    return alt.layer(*layers)


def _published(data: alt.Chart, x: alt.X, colour: alt.Color) -> alt.Chart:
    points: alt.Chart = (
        data.transform_filter("isValid(datum.published)")
        .mark_point(shape="diamond", size=90, strokeWidth=2, opacity=1)
        .encode(
            x=x,
            y=alt.Y("published:Q"),
            color=colour,
            tooltip=["line:N", "x:Q", "published:Q"],
        )
    )
    return points


def _failed(data: alt.Chart, x: alt.X, colour: alt.Color) -> alt.Chart:
    crosses: alt.Chart = (
        data.transform_filter("datum.absence != ''")
        .mark_text(text="\N{MULTIPLICATION SIGN}", fontSize=16, dy=-8)
        .encode(
            x=x,
            y=alt.value(HEIGHT_PX),
            color=colour,
            tooltip=["line:N", "x:Q", "absence:N"],
        )
    )
    return crosses
