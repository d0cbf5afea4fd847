"""
A metric over a swept parameter: a curve for each server, client and workload.

The rule through a point is its interval. A published value is a hollow diamond above
the same value, in the colour of the cell's curve. The theoretical maximum is grey.
"""

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from autostrada.report import number
from autostrada.report.charts import theme
from autostrada.report.charts.axis import parameter_axis, value_axis
from autostrada.report.charts.chart import Chart, ChartMark, Key, Options, mark
from autostrada.report.charts.curve_plots import Curve, CurvePlot
from autostrada.report.metrics import written
from autostrada.report.published import PairTable
from autostrada.report.results import Outcome
from autostrada.stats.metrics import Metric

HEIGHT_PX = 280

PUBLISHED = Key(label="published", colour=theme.MUTED, shape="hollow")
MAXIMUM = Key(label="theoretical maximum", colour=theme.MUTED, shape="line")

DASHES: Options = {"stroke": theme.MUTED, "strokeDasharray": "4 4", "strokeWidth": 1.5}
INTERVAL: Options = {"stroke": "colour", "strokeWidth": 5, "opacity": 0.35}
DIAMOND: Options = {
    "symbol": "diamond2",
    "r": 5.4,
    "stroke": "colour",
    "strokeWidth": 2,
    "title": "title",
}
FAILURE: Options = {
    "frameAnchor": "bottom",
    "lineAnchor": "middle",
    "dy": -8,
    "fill": "colour",
    "fontSize": 16,
    "title": "title",
}


def curve_chart(plot: CurvePlot, tables: Sequence[PairTable]) -> Chart | None:
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
    legend += [MAXIMUM] if maxima else []
    if any(row["published"] is not None for row in rows):
        legend.append(PUBLISHED)
    columns = ("median", "low", "high", "published")
    values = [row[column] for row in rows for column in columns]
    known = [value for value in (*values, *maxima.values()) if value is not None]
    drawn = [row | {"colour": colours[row["line"]]} for row in rows]
    return Chart(
        title=plot.title,
        description=f"{plot.description} The tables have the same metrics.",
        height_px=HEIGHT_PX,
        x=parameter_axis([row["x"] for row in rows]),
        y=value_axis(known, plot.metric.unit),
        marks=(*_maximum(maxima), *_marks(drawn, plot.metric)),
        table=rows,
        legend=tuple(legend),
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


def _maximum(maxima: Mapping[float, float]) -> Iterator[ChartMark]:
    if rows := [{"x": x, "maximum": maximum} for x, maximum in maxima.items()]:
        yield mark("lineY", rows, x="x", y="maximum", **DASHES)


def _marks(rows: Sequence[dict[str, Any]], metric: Metric) -> Iterator[ChartMark]:
    """Yield lines, intervals, points, published points and failures."""
    shown = {metric.title: "written", "bottleneck": "bottleneck"}
    measured = _titled([row for row in rows if row["median"] is not None], shown)
    in_order = sorted(measured, key=itemgetter("x"))
    line = {"z": "line", "stroke": "colour"}
    yield mark("lineY", in_order, x="x", y="median", **line, strokeWidth=1.5)
    yield mark("ruleX", measured, x="x", y1="low", y2="high", **INTERVAL)
    dot = {"fill": "colour", "title": "title"}
    yield mark("dot", measured, x="x", y="median", r=4, **dot)
    compared = [row for row in rows if row["published"] is not None]
    if compared := _titled(compared, {"published": "published"}):
        yield mark("dot", compared, x="x", y="published", **DIAMOND)
    failed = [row | {"sign": number.TIMES} for row in rows if row["absence"]]
    if failed := _titled(failed, {"absence": "absence"}):
        yield mark("text", failed, x="x", text="sign", **FAILURE)


def _titled(
    rows: Sequence[dict[str, Any]], shown: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return rows with a tooltip of these columns, each with its title."""
    columns = {"line": "line", "x": "x", **shown}
    return [
        row
        | {"title": theme.tooltip({title: row[key] for title, key in columns.items()})}
        for row in rows
    ]
