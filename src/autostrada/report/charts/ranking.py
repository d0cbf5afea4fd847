"""
A ranking: a dot for the metric of each contestant, and a rule for its interval.

The axis is logarithmic, because the reference and the slowest library differ too much
for a linear one. Bars would be misleading on an axis without zero, so metrics are
dots. Each repetition is a small tick, so that outliers remain visible.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from autostrada.report import number
from autostrada.report.charts import theme
from autostrada.report.charts.chart import Chart, ChartMark, Key, Options, mark
from autostrada.report.metrics import bounds
from autostrada.report.ranking import Ranking, Standing

KEYS = {
    "contestant": Key(label="of all repetitions", colour=theme.ACCENT, shape="dot"),
    "bound": Key(
        label="bound: the load generator was the bottleneck",
        colour=theme.ACCENT,
        shape="ring",
    ),
    "reference": Key(
        label="reference: the engine itself", colour=theme.MUTED, shape="diamond"
    ),
}
DIRECTIONS = {"lower": "left", "higher": "right"}
UNITS = {
    "ms": f"{number.THIN_SPACE}ms",
    "us": f"{number.THIN_SPACE}µs",
    "ns": f"{number.THIN_SPACE}ns",
}
IDLE = replace(KEYS["bound"], label="bound: the contestant was idle at times")
SAMPLE = Key(label="one repetition", colour=theme.MUTED, shape="line")

BAND: Options = {"stroke": theme.ACCENT, "strokeWidth": 6, "opacity": 0.35}
TICK: Options = {"stroke": theme.MUTED, "insetTop": 9, "insetBottom": 9}
LABEL: Options = {"fill": theme.INK, "fontSize": theme.LABEL_PX}
FAILURE: Options = {"fill": theme.ALARM, "fontSize": theme.LABEL_PX}


def ranking_chart(ranking: Ranking) -> Chart | None:
    """Draw one ranking; ``None`` if no cell has a positive metric."""
    metric = ranking.metric
    shown = [
        standing
        for standing in ranking.every
        if standing.interval and standing.interval.median > 0
    ]
    if not shown:
        return None
    samples: list[dict[str, Any]] = [
        {"contestant": standing.name, "value": standing.speed_factor * sample}
        for standing in shown
        if standing.sampled
        for sample in standing.sampled.values
        if sample > 0
    ]
    rows = [_row(standing) for standing in shown]
    dots = [row | _look(row) for row in rows]
    kinds = {row["kind"] for row in rows}
    keys = KEYS | {"bound": IDLE} if ranking.slices else KEYS
    return Chart(
        title=f"{metric.title}, logarithmic: {DIRECTIONS[metric.better]} is better",
        description=_description(ranking, shown),
        height_px=theme.ROW_PX * len(ranking.every),
        x=theme.log_axis(
            [row["value"] for row in (*samples, *rows)],
            unit=UNITS.get(metric.unit, ""),
        ),
        y=theme.names_axis([standing.name for standing in ranking.every]),
        marks=(
            mark("ruleY", rows, **theme.SPAN, **BAND),
            mark("tickX", samples, **theme.POINT, **TICK),
            mark("dot", dots, **theme.POINT, **theme.LOOK, r=5.9, strokeWidth=2),
            mark("text", rows, **theme.POINT, **LABEL, text="label", dy=-13),
            *_failures(ranking),
        ),
        table=rows,
        legend=(*(key for kind, key in keys.items() if kind in kinds), SAMPLE),
    )


def _row(standing: Standing) -> dict[str, Any]:
    assert standing.interval, "only what was measured is drawn"
    interval, outcome = standing.interval, standing.outcome
    kind = "bound" if standing.is_bound else "contestant"
    return {
        "contestant": standing.name,
        "value": interval.median,
        "low": interval.low or interval.median,
        "high": interval.high,
        "label": standing.text,
        "interval": bounds(standing.metric, interval),
        "bottleneck": outcome.bottleneck,
        "kind": "reference" if standing.is_reference else kind,
    }


def _look(row: dict[str, Any]) -> dict[str, str]:
    title = {
        "contestant": row["contestant"],
        "metric": row["label"],
        "interval": row["interval"],
        "bottleneck": row["bottleneck"],
    }
    return theme.look(KEYS[row["kind"]]) | {"title": theme.tooltip(title)}


def _failures(ranking: Ranking) -> Iterator[ChartMark]:
    """Yield a mark with the failure of each cell that has no metric, if any."""
    rows = [
        {
            "contestant": standing.name,
            "kind": standing.outcome.failures[0].kind
            if standing.outcome.failures
            else standing.outcome.absence,
        }
        for standing in ranking.every
        if not standing.sampled
    ]
    if rows:
        place = {"y": "contestant", "frameAnchor": "left", "textAnchor": "start"}
        yield mark("text", rows, **place, **FAILURE, text="kind", dx=4)


def _description(ranking: Ranking, shown: list[Standing]) -> str:
    metrics = "; ".join(f"{standing.name} {standing.text}" for standing in shown)
    return (
        f"{ranking.point}: {ranking.metric.title}, the best first: {metrics}. The "
        f"table below has the same metrics."
    )
