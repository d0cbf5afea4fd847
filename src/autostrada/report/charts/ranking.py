"""
A ranking: a dot for the metric of each contestant, and a rule for its interval.

The axis is logarithmic, because the reference and the slowest library differ too much
for a linear one. Bars would be misleading on an axis without zero, so metrics are
dots. Each repetition is a small tick, so that outliers remain visible.
"""

from dataclasses import replace
from typing import Any

import altair as alt

from autostrada.report import number
from autostrada.report.charts import theme
from autostrada.report.charts.theme import Drawing, Key
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


def ranking_chart(ranking: Ranking) -> Drawing | None:
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
    values = [row["value"] for row in samples] + [row["value"] for row in rows]
    x = theme.log_axis("value", values, unit=UNITS.get(metric.unit, ""))
    order = [standing.name for standing in ranking.every]
    y = theme.names_axis(order)
    medians = alt.Chart(alt.InlineData(values=rows))
    chart = alt.layer(
        medians.mark_rule(strokeWidth=6, opacity=0.35, color=theme.ACCENT).encode(
            x=alt.X("low:Q"), x2="high:Q", y=y
        ),
        alt.Chart(alt.InlineData(values=samples))
        .mark_tick(thickness=1, size=14, color=theme.MUTED)
        .encode(x=x, y=y),
        _dots(medians, x, y),
        medians.mark_text(dy=-13, fontSize=theme.LABEL_PX, color=theme.INK).encode(
            x=x, y=y, text="label:N"
        ),
        *_failures(ranking, y),
    ).properties(height=theme.ROW_PX * len(order))
    kinds = {row["kind"] for row in rows}
    keys = KEYS | {"bound": IDLE} if ranking.slices else KEYS
    return Drawing(
        title=f"{metric.title}, logarithmic: {DIRECTIONS[metric.better]} is better",
        legend=(*(key for kind, key in keys.items() if kind in kinds), SAMPLE),
        spec=theme.document(chart, _description(ranking, shown)),
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


def _dots(medians: alt.Chart, x: alt.X, y: alt.Y) -> alt.Chart:
    kinds = list(KEYS)
    colours = [key.colour for key in KEYS.values()]
    fills = [
        theme.PAPER if key.shape == "ring" else key.colour for key in KEYS.values()
    ]
    shapes = [
        "diamond" if key.shape == "diamond" else "circle" for key in KEYS.values()
    ]
    points = medians.mark_point(size=110, strokeWidth=2, opacity=1)
    dots: alt.Chart = points.encode(
        x=x,
        y=y,
        shape=theme.encoded(alt.Shape, "kind:N", kinds, shapes),
        fill=theme.encoded(alt.Fill, "kind:N", kinds, fills),
        stroke=theme.encoded(alt.Stroke, "kind:N", kinds, colours),
        tooltip=[
            alt.Tooltip("contestant:N"),
            alt.Tooltip("label:N", title="metric"),
            alt.Tooltip("interval:N"),
            alt.Tooltip("bottleneck:N", title="bottleneck"),
        ],
    )
    return dots


def _failures(ranking: Ranking, y: alt.Y) -> list[alt.Chart]:
    """Return a text layer with the failure of each cell that has no metric."""
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
    if not rows:
        return []
    return [
        alt.Chart(alt.InlineData(values=rows))
        .mark_text(align="left", dx=4, fontSize=theme.LABEL_PX, color=theme.ALARM)
        .encode(x=alt.value(0), y=y, text="kind:N")
    ]


def _description(ranking: Ranking, shown: list[Standing]) -> str:
    metrics = "; ".join(f"{standing.name} {standing.text}" for standing in shown)
    return (
        f"{ranking.point}: {ranking.metric.title}, the best first: {metrics}. The "
        f"table below has the same metrics."
    )
