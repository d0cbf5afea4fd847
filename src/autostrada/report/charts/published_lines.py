"""
Published charts of lines, drawn again in their form from our values.

The rule through a point is its interval. A published value is a hollow diamond above
the same value, in the colour of the cell's line. The theoretical maximum is grey.
"""

from collections.abc import Iterator
from typing import Any

import altair as alt

from autostrada.experiment.publication import ChartLine, PublishedChart
from autostrada.report.charts import theme
from autostrada.report.charts.curve import (
    HEIGHT_PX,
    PUBLISHED,
    curve_layers,
    is_curve,
    line_rows,
    published_values,
)
from autostrada.report.charts.sweep import Curve, CurvePoint
from autostrada.report.charts.theme import Drawing, Key
from autostrada.report.results import Results
from autostrada.stats.metrics import METRICS

MAXIMUM = Key(label="theoretical maximum", colour=theme.MUTED, shape="line")


def published_line_charts(results: Results) -> Iterator[Drawing]:
    """Yield the published charts of which a line has two measured points."""
    for chart in results.publication.chart if results.publication else ():
        drawing = _drawn(chart, results)
        if drawing:
            yield drawing


def _drawn(chart: PublishedChart, results: Results) -> Drawing | None:
    metric = METRICS[chart.metric]
    published = published_values(results, metric)
    lines = {line.name: _line(line, chart.over, results) for line in chart.lines}
    rows = [
        row
        for name, line in lines.items()
        for row in line_rows(name, line, metric, published)
    ]
    if not is_curve(rows):
        return None
    colours = {name: theme.series_colour(index) for index, name in enumerate([*lines])}
    legend = [Key(label=name, colour=colours[name], shape="dot") for name in lines]
    maxima = _maxima(chart, lines)
    layers = curve_layers(rows, metric, colours, [row["maximum"] for row in maxima])
    if maxima:
        layers = alt.layer(_maximum(maxima), layers)
        legend.append(MAXIMUM)
    if any(row["published"] is not None for row in rows):
        legend.append(PUBLISHED)
    return Drawing(
        title=f"{chart.title}: {metric.title}, over {chart.over_title}"
        + (f". Published: {chart.note}" if chart.note else ""),
        legend=tuple(legend),
        spec=theme.document(
            layers.properties(height=HEIGHT_PX),
            f"{chart.title}: {metric.title} over {chart.over_title}, for "
            f"{', '.join(lines)}. The tables have the same metrics.",
        ),
    )


def _line(line: ChartLine, parameter: str, results: Results) -> Curve:
    """Return the cells of a published line, ordered by the parameter."""
    points = [
        CurvePoint(x=float(value), outcome=outcome)
        for cell, outcome in results.outcomes.items()
        if (value := line.value(cell, parameter))
    ]
    return Curve(
        workload=line.workload,
        server=line.server,
        client=line.client,
        points=tuple(sorted(points, key=lambda point: point.x)),
    )


def _maxima(chart: PublishedChart, lines: dict[str, Curve]) -> list[dict[str, Any]]:
    """Return the theoretical maximum at each value; empty if the chart has none."""
    if chart.maximum is None:
        return []
    found = {
        point.x: sampled.interval.median
        for line in lines.values()
        for point in line.points
        if (sampled := point.outcome.metrics.get(chart.maximum))
    }
    return [{"x": x, "maximum": found[x]} for x in sorted(found)]


def _maximum(maxima: list[dict[str, Any]]) -> alt.Chart:
    line: alt.Chart = (
        alt.Chart(alt.InlineData(values=maxima))
        .mark_line(color=theme.MUTED, strokeDash=[4, 4], strokeWidth=1.5)
        .encode(x="x:Q", y="maximum:Q")
    )
    return line
