"""Charts of a load, or of the loads of two names: seconds, and all times."""

from collections.abc import Mapping, Sequence
from math import log10
from typing import Any

from autostrada.report.charts import theme
from autostrada.report.charts.axis import (
    percentile_axis,
    seconds_axis,
    times_axis,
    value_axis,
)
from autostrada.report.charts.chart import Axis, Chart, mark
from autostrada.stats.buckets import Buckets, bars, merged, times_of
from autostrada.store.history import SavedLoad

HEIGHT_PX = 220
BARS_MAX = 60
BARS_PER_DECADE = (50, 20, 10, 5, 2, 1)
"""Of these, a histogram has the largest number with which it has few enough bars."""

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
    exchange = document["exchange"] or {}
    noun = f"{'response' if exchange.get('response_time_ns') else 'delivery'} time"
    return charts | _charts_of_times(noun, {"": times_of(document)})


def overlaid_charts(sides: Mapping[str, Sequence[SavedLoad]]) -> dict[str, Chart]:
    """Draw the loads of two names, whose times are pooled; leave out what is empty."""
    colours = dict(zip(sides, theme.SERIES, strict=False))
    rates: list[dict[str, Any]] = [
        {"at_s": at_s, "side": name, "load": index, "messages_per_s": rate}
        for name, loads in sides.items()
        for index, load in enumerate(loads, 1)
        for at_s, rate in enumerate(load.messages_per_s, 1)
    ]
    charts = {}
    if rates:
        title = "messages received a second: a line for each load"
        x = seconds_axis(max(rate["at_s"] for rate in rates))
        description = "Messages received a second by each load."
        charts["rate"] = _chart(title, description, rates, x, colours)
    pooled = {
        name: merged(Buckets(load.times_ns) for load in loads)
        for name, loads in sides.items()
    }
    return charts | _charts_of_times("time in all loads", pooled, colours)


def _charts_of_times(
    noun: str, sides: Mapping[str, Buckets], colours: Mapping[str, str] | None = None
) -> dict[str, Chart]:
    """Draw the distribution of all times; of several sides, each has its colour."""
    sides = {name: times for name, times in sides.items() if times.count}
    points = [
        {"one_in": point["one_in"]} | ({"side": name} if colours else {}) | point
        for name, times in sides.items()
        for point in _distribution(times)
    ]
    charts = {}
    if points:
        charts["distribution"] = _chart(
            f"{noun} at each percentile",
            "Quantiles of all times of the measurement.",
            points,
            percentile_axis(max(point["one_in"] for point in points)),
            colours,
        )
    if sides:
        charts["histogram"] = _histogram(noun, sides, colours)
    return charts


def _histogram(
    noun: str, sides: Mapping[str, Buckets], colours: Mapping[str, str] | None
) -> Chart:
    """Draw the number of messages by their times, or their share of each side."""
    every = merged(sides.values())
    decades = log10(max(1, every.longest_ns) / max(1, every.quantile_ns(0)))
    steps = max(each for each in BARS_PER_DECADE if each * decades < BARS_MAX)
    value = "share of messages" if colours else "messages"
    rows: list[dict[str, Any]] = [
        {"from_ms": 10 ** (bar / steps - 6), "to_ms": 10 ** ((bar + 1) / steps - 6)}
        | ({"side": name} if colours else {})
        | {value: count / times.count if colours else count}
        for name, times in sides.items()
        for bar, count in bars(times, steps)
    ]
    drawn = [_with_look(row, row.get("side", ""), colours) for row in rows]
    place = {"x1": "from_ms", "x2": "to_ms", "y2": value, "title": "title"}
    look = {"fill": "colour", "stroke": "colour"}
    edges = [row[edge] for row in rows for edge in ("from_ms", "to_ms")]
    heights = [0, *(row[value] for row in rows)]
    return Chart(
        title=f"histogram: {value} by {noun}",
        description=f"Histogram of the {noun}, in {len(rows)} bars.",
        height_px=HEIGHT_PX,
        x=times_axis(min(edges), max(edges)),
        y=value_axis(heights, "share" if colours else "count"),
        marks=(mark("rect", drawn, **place, **look, y1=0, fillOpacity=0.35),),
        table=rows,
        legend=tuple(theme.keys(colours or {}, "dot")),
    )


def _with_look(
    row: dict[str, Any], name: str, colours: Mapping[str, str] | None
) -> dict[str, Any]:
    colour = colours[name] if colours else theme.ACCENT
    return row | {"colour": colour, "title": theme.tooltip(row)}


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
    """Draw a line, or one for each load and text of the second column, by colour."""
    at, *names, value = rows[0]
    drawn = [
        _with_look(row, name, colours) | {"line": f"{name} {row.get('load')}"}
        for row in rows
        for name in [row[names[0]] if colours else ""]
    ]
    place = {"x": at, "y": value, "z": "line", "title": "title"}
    marks = [mark("lineY", drawn, **place, stroke="colour", strokeWidth=1.5)]
    if len(rows) == len({row["line"] for row in drawn}):
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
