"""
The rate of pushes over time, for the cells whose cold rate differs from the warm one.

The rate is relative to that in slices, so that clients of any speed share an axis, and
each line shows how a library warms up.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from autostrada.report.charts import theme
from autostrada.report.charts.axis import seconds_axis, value_axis
from autostrada.report.charts.chart import Chart, mark
from autostrada.report.ranking import Ranking, Standing
from autostrada.report.time_series import TimeSeries

HEIGHT_PX = 260

LINES_MAX = len(theme.SERIES)
"""Maximum number of lines: those of the largest difference have a colour each."""


def rate_chart(ranking: Ranking, series: Sequence[TimeSeries]) -> Chart | None:
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
    drawn = [
        row | {"colour": colours[row["contestant"]], "title": theme.tooltip(row)}
        for row in rows
    ]
    line = {"z": "contestant", "stroke": "colour", "title": "title"}
    return Chart(
        title="messages per second over time, as a share of the rate in slices",
        description=f"{ranking.point}: messages per second over time relative to the "
        f"rate in slices, for {', '.join(names)}. The table below has the values of "
        f"both.",
        height_px=HEIGHT_PX,
        x=seconds_axis(max(row["at_s"] for row in rows)),
        y=value_axis([row["share"] for row in rows], "share"),
        marks=(mark("lineY", drawn, x="at_s", y="share", **line, strokeWidth=1.5),),
        table=rows,
        legend=tuple(theme.keys(colours, "line")),
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
