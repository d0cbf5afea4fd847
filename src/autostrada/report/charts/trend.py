"""A contestant over runs: a step a run, and a diamond where a new level begins."""

from collections.abc import Iterator, Sequence
from typing import Any

from autostrada.report.charts import theme
from autostrada.report.charts.axis import change_axis
from autostrada.report.charts.chart import Axis, Chart, Key, Tick, mark
from autostrada.report.trend import Trend, TrendPoint

HEIGHT_PX = 320

CHANGE = Key(label="a new level begins", colour=theme.INK, shape="diamond")

PLACE = {"x": "run", "y": "change"}
LINE = {"z": "trend", "stroke": "colour", "curve": "step"}
DIAMOND = {"symbol": "diamond2", "fill": theme.INK}


def trend_chart(contestant: str, trends: Sequence[Trend]) -> Chart:
    """Draw the levels of all workloads, each relative to that of its first run."""
    points = sorted(
        (point for trend in trends for point in trend.points), key=lambda each: each.at
    )
    runs = [*dict.fromkeys(map(_run, points))]
    colours = {
        trend.title: theme.series_colour(index) for index, trend in enumerate(trends)
    }
    rows = [row for trend in trends for row in _rows(trend)]
    lines = [row | {"colour": colours[row["trend"]]} for row in rows]
    changed = [row for row in rows if row["is_new"]]
    is_relative = all(trend.is_relative for trend in trends)
    beside = ", relative to the engine in the same run" if is_relative else ""
    return Chart(
        title=f"{contestant}: change since the first run{beside}",
        description=f"{contestant} in {len(trends)} workloads over {len(runs)} runs.",
        height_px=HEIGHT_PX,
        x=Axis(
            scale="names",
            domain=tuple(runs),
            ticks=tuple(Tick(value=run, label=run) for run in runs),
            has_grid=False,
        ),
        y=change_axis([row["change"] for row in rows]),
        marks=(
            mark("lineY", lines, **PLACE, **LINE, strokeWidth=2),
            mark("dot", changed, **PLACE, **DIAMOND, r=5.4),
        ),
        table=rows,
        legend=(*theme.keys(colours, "line"), *((CHANGE,) if changed else ())),
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
