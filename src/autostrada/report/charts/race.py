"""
The race: a dot for the median of each contestant, a rule for its interval.

Dots on a logarithmic axis, not bars: the reference and the slowest library lie too far
apart for a linear axis, and a bar without a zero would lie about its length. Every
repetition is a small stroke, so that nothing hides behind the interval.
"""

from typing import Any

import altair as alt

from autostrada.report import number
from autostrada.report.charts import theme
from autostrada.report.charts.theme import Drawing, Key
from autostrada.report.race.finding import duration
from autostrada.report.race.race import Figures, Ranking, Standing
from autostrada.report.verdict import LIMIT_IN_WORDS

KEYS = {
    "library": Key(label="median of a library", colour=theme.ACCENT, shape="dot"),
    "bound": Key(
        label="the engine was the limit: it may be faster",
        colour=theme.ACCENT,
        shape="ring",
    ),
    "reference": Key(
        label="reference: the engine's own client", colour=theme.MUTED, shape="diamond"
    ),
}
SAMPLE = Key(label="one repetition", colour=theme.MUTED, shape="line")


def race_chart(ranking: Ranking) -> Drawing | None:
    """Draw one workload; None where nothing was measured."""
    shown = [(each, each.figures) for each in ranking.every if each.figures]
    if not shown:
        return None
    samples = [
        {"contestant": standing.contestant, "ms": sample}
        for standing, figures in shown
        for sample in figures.ns_per_message
    ]
    x = theme.log_axis(
        "ms", [sample for _, figures in shown for sample in figures.ns_per_message]
    )
    order = [standing.contestant for standing in ranking.every]
    y = theme.names_axis(order)
    rows = [_row(*each) for each in shown]
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
    return Drawing(
        title=f"ms for {number.plain(1_000_000)} messages, logarithmic: left is faster",
        legend=(*(key for kind, key in KEYS.items() if kind in kinds), SAMPLE),
        spec=theme.document(chart, _description(ranking, shown)),
    )


def _row(standing: Standing, figures: Figures) -> dict[str, Any]:
    interval = figures.interval
    kind = "bound" if figures.verdict.is_lower_bound else "library"
    return {
        "contestant": standing.contestant,
        "ms": interval.median,
        "low": interval.low,
        "high": interval.high,
        "label": duration(figures),
        "interval": number.between(interval.low, interval.high, like=interval.median),
        "limit": LIMIT_IN_WORDS[figures.verdict.limit],
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
        shape=alt.Shape(
            "kind:N", scale=alt.Scale(domain=kinds, range=shapes), legend=None
        ),
        fill=alt.Fill(
            "kind:N", scale=alt.Scale(domain=kinds, range=fills), legend=None
        ),
        stroke=alt.Stroke(
            "kind:N", scale=alt.Scale(domain=kinds, range=colours), legend=None
        ),
        tooltip=[
            alt.Tooltip("contestant:N"),
            alt.Tooltip("label:N", title="ms"),
            alt.Tooltip("interval:N"),
            alt.Tooltip("limit:N"),
        ],
    )
    return dots


def _failures(ranking: Ranking, y: alt.Y) -> list[alt.Chart]:
    """Return a word in the row of each contestant that has no figures."""
    rows = [
        {
            "contestant": standing.contestant,
            "kind": standing.failures[0].failure.kind
            if standing.failures
            else "not measured yet",
        }
        for standing in ranking.every
        if not standing.figures
    ]
    if not rows:
        return []
    return [
        alt.Chart(alt.InlineData(values=rows))
        .mark_text(align="left", dx=4, fontSize=theme.LABEL_PX, color=theme.ALARM)
        .encode(x=alt.value(0), y=y, text="kind:N")
    ]


def _description(ranking: Ranking, shown: list[tuple[Standing, Figures]]) -> str:
    figures = "; ".join(
        f"{standing.contestant} {duration(figures)}" for standing, figures in shown
    )
    return (
        f"{ranking.workload.name}: median milliseconds for a million messages, fastest "
        f"first: {figures}. The table below has the same figures."
    )
