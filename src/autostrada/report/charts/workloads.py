"""
All workloads of a race in one chart: a row per contestant, a colour per workload.

The dots of a workload that measures the libraries scatter. If the server is the
bottleneck, they form a column at the rate of the server.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt

from autostrada.report.charts import theme
from autostrada.report.charts.theme import Drawing, Key
from autostrada.report.cold import COLD, STEADY
from autostrada.report.ranking import Ranking

_TITLES = {
    STEADY.name: "steady ns per message",
    **{each.name: f"{each.title}, ms" for each in COLD.values()},
}


def workloads_chart(ranked: Sequence[Ranking]) -> Drawing | None:
    """Draw the metrics of all pushes; ``None`` if fewer than two were measured."""
    pushes = [
        ranking
        for ranking in ranked
        if ranking.measured and ranking.metric.name in _TITLES
    ]
    shown = [push for push in pushes if push.metric == pushes[0].metric]
    names = [ranking.point for ranking in shown]
    if len(names) < 2:
        return None
    rows = list(_rows(shown))
    colours = {name: theme.series_colour(index) for index, name in enumerate(names)}
    shades = [*colours.values()]
    order = list(dict.fromkeys(row["contestant"] for row in rows))
    y = theme.names_axis(order)
    metric = shown[0].metric
    x = theme.log_axis("value", [row["value"] for row in rows])
    data = alt.Chart(alt.InlineData(values=rows))
    span = data.mark_rule(color=theme.FAINT, strokeWidth=2).encode(
        x=alt.X("min(value):Q"), x2=alt.X2("max(value):Q"), y=y
    )
    # Dots of later workloads are smaller, so that those below stay visible.
    sizes = [160 - 100 * index // len(names) for index in range(len(names))]
    dots = data.mark_point(strokeWidth=2, opacity=1).encode(
        x=x,
        y=y,
        size=theme.encoded(alt.Size, "workload:O", names, sizes),
        stroke=theme.encoded(alt.Stroke, "workload:N", names, shades),
        fill=alt.condition(
            alt.datum.is_bound,
            alt.value(theme.PAPER),
            theme.encoded(alt.Fill, "workload:N", names, shades),
        ),
        tooltip=[
            "contestant:N",
            "workload:N",
            alt.Tooltip("label:N", title="metric"),
            "bottleneck:N",
        ],
    )
    legend = theme.keys(colours, "dot")
    if any(row["is_bound"] for row in rows):
        label = "hollow: the load generator was the bottleneck"
        legend.append(Key(label=label, colour=theme.MUTED, shape="ring"))
    described = "; ".join(
        f"{row['contestant']} in {row['workload']} {row['label']}" for row in rows
    )
    return Drawing(
        title=f"{_TITLES[metric.name]}, logarithmic: left is faster",
        legend=tuple(legend),
        spec=theme.document(
            alt.layer(span, dots).properties(height=theme.ROW_PX * len(order)),
            f"Median {metric.title} in each workload: {described}.",
        ),
    )


def _rows(ranked: Sequence[Ranking]) -> Iterator[dict[str, Any]]:
    for ranking in ranked:
        for standing in ranking.measured:
            outcome = standing.outcome
            assert standing.sampled, "only what was measured is drawn"
            yield {
                "contestant": standing.name,
                "workload": ranking.point,
                "value": standing.sampled.interval.median,
                "label": outcome.written(standing.metric),
                "bottleneck": outcome.bottleneck,
                "is_bound": bool(outcome.verdict and outcome.verdict.is_lower_bound),
            }
