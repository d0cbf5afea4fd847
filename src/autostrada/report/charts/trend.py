"""A contestant over runs: a step a run, and a diamond where a new level begins."""

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt

from autostrada.report.charts import theme
from autostrada.report.charts.theme import Drawing, Key
from autostrada.report.trend import Trend, TrendPoint

HEIGHT_PX = 320

CHANGE = Key(label="a new level begins", colour=theme.INK, shape="diamond")


def trend_chart(contestant: str, trends: Sequence[Trend]) -> Drawing:
    """Draw the levels of all workloads, each relative to that of its first run."""
    points = sorted(
        (point for trend in trends for point in trend.points), key=lambda each: each.at
    )
    runs = [*dict.fromkeys(map(_run, points))]
    colours = {
        trend.title: theme.series_colour(index) for index, trend in enumerate(trends)
    }
    rows = [row for trend in trends for row in _rows(trend)]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X(
            "run:N",
            sort=runs,
            axis=alt.Axis(labelAngle=-40, labelColor=theme.MUTED, grid=False),
        ),
        y=alt.Y("change:Q", axis=alt.Axis(format="+.1%", labelColor=theme.MUTED)),
    )
    stroke = theme.encoded(alt.Stroke, "trend:N", [*colours], [*colours.values()])
    layers = [
        base.mark_line(interpolate="step", strokeWidth=2).encode(stroke=stroke),
        base.transform_filter("datum.is_new").mark_point(
            shape="diamond", filled=True, size=90, color=theme.INK, opacity=1
        ),
    ]
    is_relative = all(trend.is_relative for trend in trends)
    beside = ", relative to the engine in the same run" if is_relative else ""
    has_changes = any(trend.changes for trend in trends)
    return Drawing(
        title=f"{contestant}: change since the first run{beside}",
        legend=(*theme.keys(colours, "line"), *((CHANGE,) if has_changes else ())),
        spec=theme.document(
            alt.layer(*layers).properties(height=HEIGHT_PX),
            f"{contestant} in {len(trends)} workloads over {len(runs)} runs.",
        ),
    )


def _run(point: TrendPoint) -> str:
    return f"{point.at:%Y-%m-%d %H:%M} {point.version}"


def _rows(trend: Trend) -> Iterator[dict[str, Any]]:
    levels = trend.levels
    for index, (point, level) in enumerate(zip(trend.points, levels, strict=True)):
        yield {
            "trend": trend.title,
            "run": _run(point),
            "change": level / levels[0] - 1,
            "is_new": index in trend.changes,
        }
