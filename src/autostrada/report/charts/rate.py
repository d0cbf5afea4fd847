"""
The rate of pushes over time, for the cells whose cold rate differs from the warm one.

The rate is relative to that in slices, so that clients of any speed share an axis, and
each line shows how a library warms up.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt

from autostrada.report.charts import theme
from autostrada.report.charts.axis import seconds_axis, value_axis
from autostrada.report.charts.theme import Drawing
from autostrada.report.ranking import Ranking, Standing
from autostrada.report.time_series import TimeSeries

HEIGHT_PX = 260

LINES_MAX = len(theme.SERIES)
"""Maximum number of lines: those of the largest difference have a colour each."""


def rate_chart(ranking: Ranking, series: Sequence[TimeSeries]) -> Drawing | None:
    """Draw the rates of one ranking; ``None`` if no cold rate differs."""
    differing = [standing for standing in ranking.every if standing.has_other_cold_rate]
    shown = sorted(differing, key=_difference, reverse=True)[:LINES_MAX]
    lines = {line.cell: line for line in series}
    rows = [
        row
        for standing in shown
        if standing.outcome.cell in lines
        for row in _rows(standing, lines[standing.outcome.cell])
    ]
    names = list(dict.fromkeys(row["contestant"] for row in rows))
    if not names:
        return None
    colours = {name: theme.series_colour(at) for at, name in enumerate(names)}
    chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line(strokeWidth=1.5)
        .encode(
            x=seconds_axis("at_s"),
            y=value_axis("share", [row["share"] for row in rows], "share"),
            color=theme.encoded(alt.Color, "contestant:N", names, [*colours.values()]),
            tooltip=["contestant:N", "at_s:Q", "share:Q"],
        )
    )
    return Drawing(
        title="messages per second over time, as a share of the rate in slices",
        legend=tuple(theme.keys(colours, "line")),
        spec=theme.document(
            chart.properties(height=HEIGHT_PX),
            f"{ranking.point}: messages per second over time relative to the rate in "
            f"slices, for {', '.join(names)}. The table below has the values of both.",
        ),
    )


def _difference(standing: Standing) -> float:
    """Return the factor between the cold rate and that in slices."""
    ratio = standing.cold_ratio
    assert ratio, "only cells with both rates are drawn"
    return max(ratio, 1 / ratio)


def _rows(standing: Standing, series: TimeSeries) -> Iterator[dict[str, Any]]:
    """Yield the points of a line."""
    reference = standing.outcome.metrics["messages_per_s"]
    for at_s, per_s in series.rate:
        yield {
            "contestant": standing.name,
            "at_s": at_s,
            "share": per_s / reference.interval.median,
        }
