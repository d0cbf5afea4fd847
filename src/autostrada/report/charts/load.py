"""The seconds of a load: how many messages were received, and how late."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from autostrada.report.charts import theme
from autostrada.report.charts.axis import seconds_axis, value_axis
from autostrada.report.charts.theme import Drawing, Key
from autostrada.stats.buckets import Buckets

HEIGHT_PX = 220
QUANTILES = {"p50": 0.5, "p99": 0.99, "maximum": 1.0}
"""Quantiles that are drawn for each second."""


def load_charts(seconds: Sequence[Mapping[str, Any]]) -> dict[str, Drawing]:
    """Draw the seconds of a load; a chart without values is left out."""
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
        charts["rate"] = Drawing(
            title="messages received in each second",
            legend=(),
            spec=_lines(rates, "messages", None, "Messages received in each second."),
        )
    if times:
        colours = dict(zip(QUANTILES, theme.SERIES, strict=False))
        charts["times"] = Drawing(
            title="response times of each second",
            legend=tuple(
                Key(label=name, colour=colour, shape="line")
                for name, colour in colours.items()
            ),
            spec=_lines(times, "ms", colours, "Quantiles of each second's times."),
        )
    return charts


def times_of(second: Mapping[str, Any]) -> Buckets:
    """Return the response times of a second, or the delivery times of a feed."""
    pairs = second["response_time_ns"] or second["delivery_time_ns"]
    return Buckets(tuple((lowest, count) for lowest, count in pairs))


def _lines(
    rows: list[dict[str, Any]],
    field: str,
    colours: Mapping[str, str] | None,
    description: str,
) -> dict[str, Any]:
    values = [row[field] for row in rows]
    colour = (
        alt.value(theme.ACCENT)
        if colours is None
        else alt.Color(
            "quantile:N",
            scale=alt.Scale(domain=list(colours), range=list(colours.values())),
            legend=None,
        )
    )
    chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line(strokeWidth=1.5, point=len(rows) == len(colours or "x"))
        .encode(
            x=seconds_axis("at_s"),
            y=value_axis(field, values, "ms" if field == "ms" else "count"),
            color=colour,
            tooltip=[
                "at_s:Q",
                f"{field}:Q",
                *([] if colours is None else ["quantile:N"]),
            ],
        )
    )
    return theme.document(chart.properties(height=HEIGHT_PX), description)
