"""Charts of a load: its seconds, and the distribution of its times."""

from collections.abc import Mapping, Sequence
from typing import Any

from autostrada.report.charts import theme
from autostrada.report.charts.axis import percentile_axis, seconds_axis, value_axis
from autostrada.report.charts.chart import Axis, Chart, mark
from autostrada.stats.buckets import Buckets

HEIGHT_PX = 220
QUANTILES = {"p50": 0.5, "p99": 0.99, "maximum": 1.0}
"""Quantiles that are drawn for each second."""


def load_charts(document: Mapping[str, Any]) -> dict[str, Chart]:
    """Draw the result of ``load``; a chart without values is left out."""
    seconds = document["seconds"]
    rates = [
        {"at_s": second["second"] + 1, "messages": second["messages"]}
        for second in seconds
    ]
    times = [
        {
            "at_s": second["second"] + 1,
            "quantile": name,
            "ms": found.quantile_ns(q) / 1e6,
        }
        for second in seconds
        if (found := times_of(second)).count
        for name, q in QUANTILES.items()
    ]
    charts = {}
    if rates:
        x = seconds_axis(rates[-1]["at_s"])
        title = "messages received in each second"
        charts["rate"] = _chart(title, "Messages received in each second.", rates, x)
    if times:
        colours = dict(zip(QUANTILES, theme.SERIES, strict=False))
        charts["times"] = _chart(
            "response times of each second",
            "Quantiles of each second's times.",
            times,
            x,
            colours,
        )
    if points := _distribution(times_of({**document, **(document["exchange"] or {})})):
        charts["distribution"] = _chart(
            "response time at each percentile",
            "Quantiles of all times of the measurement.",
            points,
            percentile_axis(points[-1]["one_in"]),
        )
    return charts


def times_of(result: Mapping[str, Any]) -> Buckets:
    """Return the response times of a second or a load, or the delivery times."""
    pairs = result.get("response_time_ns") or result["delivery_time_ns"] or ()
    return Buckets(tuple((lowest, count) for lowest, count in pairs))


def _distribution(times: Buckets) -> list[dict[str, Any]]:
    """Return quantiles of times: which is exceeded by one of how many."""
    powers = (10**digits for digits in range(len(str(times.count))))
    ranks = [step * power for power in powers for step in range(1, 10)]
    points = [
        {
            "one_in": one_in,
            "quantile": f"p{100 * (1 - 1 / one_in):.6g}",
            "ms": times.quantile_ns(1 - 1 / one_in) / 1e6,
        }
        for one_in in ranks
        if one_in < times.count
    ]
    last = {"one_in": times.count, "quantile": "maximum", "ms": times.longest_ns / 1e6}
    return [*points, last] if points else []


def _chart(
    title: str,
    description: str,
    rows: Sequence[dict[str, Any]],
    x: Axis,
    colours: Mapping[str, str] | None = None,
) -> Chart:
    """Draw a line, or one for each quantile that has a colour."""
    at, *_, value = rows[0]
    drawn = [
        row
        | {
            "colour": colours[row["quantile"]] if colours else theme.ACCENT,
            "title": theme.tooltip(row),
        }
        for row in rows
    ]
    place = {"x": at, "y": value, "z": "colour", "title": "title"}
    marks = [mark("lineY", drawn, **place, stroke="colour", strokeWidth=1.5)]
    if len(rows) == len(colours or "x"):
        # A line of a single point is invisible.
        marks.append(mark("dot", drawn, **place, fill="colour", r=3))
    return Chart(
        title=title,
        description=description,
        height_px=HEIGHT_PX,
        x=x,
        y=value_axis([row[value] for row in rows], "ms" if value == "ms" else "count"),
        marks=tuple(marks),
        table=rows,
        legend=tuple(theme.keys(colours or {}, "line")),
    )
