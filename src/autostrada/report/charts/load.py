"""Charts of a load: its seconds, and the distribution of its times."""

from collections.abc import Mapping
from typing import Any

import altair as alt

from autostrada.report.charts import theme
from autostrada.report.charts.axis import percentile_axis, seconds_axis, value_axis
from autostrada.report.charts.theme import Drawing
from autostrada.stats.buckets import Buckets

HEIGHT_PX = 220
QUANTILES = {"p50": 0.5, "p99": 0.99, "maximum": 1.0}
"""Quantiles that are drawn for each second."""


def load_charts(document: Mapping[str, Any]) -> dict[str, Drawing]:
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
        x = seconds_axis("at_s", rates[-1]["at_s"])
        charts["rate"] = Drawing(
            title="messages received in each second",
            legend=(),
            spec=_lines(rates, x, "Messages received in each second."),
        )
    if times:
        colours = dict(zip(QUANTILES, theme.SERIES, strict=False))
        charts["times"] = Drawing(
            title="response times of each second",
            legend=tuple(theme.keys(colours, "line")),
            spec=_lines(times, x, "Quantiles of each second's times.", colours),
        )
    if points := _distribution(times_of({**document, **(document["exchange"] or {})})):
        charts["distribution"] = Drawing(
            title="response time at each percentile",
            legend=(),
            spec=_lines(
                points,
                percentile_axis("one_in", points[-1]["one_in"]),
                "Quantiles of all times of the measurement.",
            ),
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


def _lines(
    rows: list[dict[str, Any]],
    x: alt.X,
    description: str,
    colours: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    field = "ms" if "ms" in rows[0] else "messages"
    values = [row[field] for row in rows]
    colour = (
        alt.value(theme.ACCENT)
        if colours is None
        else theme.encoded(alt.Color, "quantile:N", [*colours], [*colours.values()])
    )
    chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line(strokeWidth=1.5, point=len(rows) == len(colours or "x"))
        .encode(
            x=x,
            y=value_axis(field, values, "ms" if field == "ms" else "count"),
            color=colour,
            tooltip=[f"{key}:{'N' if key == 'quantile' else 'Q'}" for key in rows[0]],
        )
    )
    return theme.document(chart.properties(height=HEIGHT_PX), description)
