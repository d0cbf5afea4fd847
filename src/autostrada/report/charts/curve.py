"""
A metric over a swept parameter: a curve for each server, client and workload.

The rule through a point is its interval. A published value is a hollow diamond above
the same value, in the colour of the cell's curve. The theoretical maximum is grey.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from autostrada.report.charts import theme
from autostrada.report.charts.axis import parameter_axis, value_axis
from autostrada.report.charts.curve_plots import Curve, CurvePlot
from autostrada.report.charts.theme import Drawing, Key
from autostrada.report.metrics import written
from autostrada.report.published import PairTable
from autostrada.report.results import Outcome
from autostrada.stats.metrics import Metric

HEIGHT_PX = 280

PUBLISHED = Key(label="published", colour=theme.MUTED, shape="hollow")
MAXIMUM = Key(label="theoretical maximum", colour=theme.MUTED, shape="line")


def curve_chart(plot: CurvePlot, tables: Sequence[PairTable]) -> Drawing | None:
    """
    Draw curves with the values of published tables.

    Return ``None`` if no curve has two measured points.
    """
    published = {
        pair.cell: pair.values[0]
        for table in tables
        if table.metric == plot.metric
        for pair in table.pairs
        if pair.values
    }
    maxima = _maxima(plot)
    rows = [
        {"line": label, **_row(line, x, outcome, plot.metric)}
        | {"published": published.get(outcome.cell)}
        for label, line in plot.lines.items()
        for x, outcome in line.points
    ]
    measured = [row["line"] for row in rows if row["median"] is not None]
    if not any(measured.count(line) > 1 for line in {*measured}):
        return None
    colours = {label: theme.series_colour(at) for at, label in enumerate(plot.lines)}
    legend = theme.keys(colours, "dot")
    layers = _layers(rows, plot.metric, colours, list(maxima.values()))
    if maxima:
        values = [{"x": x, "maximum": maximum} for x, maximum in maxima.items()]
        line = alt.Chart(alt.InlineData(values=values)).mark_line(
            color=theme.MUTED, strokeDash=[4, 4], strokeWidth=1.5
        )
        layers = alt.layer(line.encode(x="x:Q", y="maximum:Q"), layers)
        legend.append(MAXIMUM)
    if any(row["published"] is not None for row in rows):
        legend.append(PUBLISHED)
    return Drawing(
        title=plot.title,
        legend=tuple(legend),
        spec=theme.document(
            layers.properties(height=HEIGHT_PX),
            f"{plot.description} The tables have the same metrics.",
        ),
    )


def _row(line: Curve, x: float, outcome: Outcome, metric: Metric) -> dict[str, Any]:
    sampled = outcome.metrics.get(metric.name)
    interval = sampled.interval if sampled else None
    return {
        "workload": line.workload,
        "server": line.server,
        "client": line.client,
        "x": x,
        "metric": metric.name,
        "median": interval.median if interval else None,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "written": written(metric, interval.median) if interval else "",
        "bottleneck": outcome.bottleneck,
        "absence": outcome.absence,
    }


def _maxima(plot: CurvePlot) -> dict[float, float]:
    """Return the theoretical maximum at each value; empty if the chart has none."""
    found = {
        x: sampled.interval.median
        for line in plot.lines.values()
        for x, outcome in line.points
        if plot.maximum and (sampled := outcome.metrics.get(plot.maximum))
    }
    return {x: found[x] for x in sorted(found)}


def _layers(
    rows: Sequence[Mapping[str, Any]],
    metric: Metric,
    colours: Mapping[str, str],
    further_values: Sequence[float],
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
    colour = theme.encoded(alt.Color, "line:N", [*colours], [*colours.values()])
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
        compared = data.transform_filter("isValid(datum.published)")
        tooltip = ["line:N", "x:Q", "published:Q"]
        layers.append(
            compared.mark_point(
                shape="diamond", size=90, strokeWidth=2, opacity=1
            ).encode(x=x, y=alt.Y("published:Q"), color=colour, tooltip=tooltip)
        )
    if any(row["absence"] for row in rows):
        failed = data.transform_filter("datum.absence != ''")
        tooltip = ["line:N", "x:Q", "absence:N"]
        layers.append(
            failed.mark_text(text="\N{MULTIPLICATION SIGN}", fontSize=16, dy=-8).encode(
                x=x, y=alt.value(HEIGHT_PX), color=colour, tooltip=tooltip
            )
        )
    return alt.layer(*layers)
