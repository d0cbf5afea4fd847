"""
All workloads side by side: where the dots of one stand in a column, its server decides.

Each contestant is a row and each workload a colour. A workload that measures the
libraries scatters its dots; one in which the server is the limit lines them up at the
server's pace.
"""

from collections.abc import Iterator
from typing import Any

import altair as alt

from autostrada.report import number
from autostrada.report.charts import theme
from autostrada.report.charts.theme import Drawing, Key
from autostrada.report.race.finding import duration
from autostrada.report.race.race import Race
from autostrada.report.verdict import LIMIT_IN_WORDS


def workloads_chart(race: Race) -> Drawing | None:
    """Draw the medians of every workload; None where there are not two to compare."""
    names = [ranking.workload.name for ranking in race.rankings if ranking.measured]
    if len(names) < 2:
        return None
    rows = list(_rows(race))
    colours = [theme.series_colour(place) for place in range(len(names))]
    scale = alt.Scale(domain=names, range=colours)
    order = list(dict.fromkeys(row["contestant"] for row in rows))
    y = theme.names_axis(order)
    x = theme.log_axis("ms", [row["ms"] for row in rows])
    data = alt.Chart(alt.InlineData(values=rows))
    span = data.mark_rule(color=theme.FAINT, strokeWidth=2).encode(
        x=alt.X("min(ms):Q"), x2=alt.X2("max(ms):Q"), y=y
    )
    # The later a workload, the smaller its dots: those below them stay visible.
    sizes = [160 - 100 * place // len(names) for place in range(len(names))]
    dots = data.mark_point(strokeWidth=2, opacity=1).encode(
        x=x,
        y=y,
        size=alt.Size(
            "workload:O", scale=alt.Scale(domain=names, range=sizes), legend=None
        ),
        stroke=alt.Stroke("workload:N", scale=scale, legend=None),
        fill=alt.condition(
            alt.datum.is_bound,
            alt.value(theme.PAPER),
            alt.Fill("workload:N", scale=scale, legend=None),
        ),
        tooltip=[
            "contestant:N",
            "workload:N",
            alt.Tooltip("label:N", title="ms"),
            "limit:N",
        ],
    )
    legend = [
        Key(label=name, colour=colour, shape="dot")
        for name, colour in zip(names, colours, strict=True)
    ]
    if any(row["is_bound"] for row in rows):
        label = "hollow: the engine was the limit"
        legend.append(Key(label=label, colour=theme.MUTED, shape="ring"))
    described = "; ".join(
        f"{row['contestant']} in {row['workload']} {row['label']}" for row in rows
    )
    return Drawing(
        title=f"ms for {number.plain(1_000_000)} messages, logarithmic: left is faster",
        legend=tuple(legend),
        spec=theme.document(
            alt.layer(span, dots).properties(height=theme.ROW_PX * len(order)),
            f"Median ms for a million messages in each workload: {described}.",
        ),
    )


def _rows(race: Race) -> Iterator[dict[str, Any]]:
    for ranking in race.rankings:
        for standing, figures in ranking.measured:
            yield {
                "contestant": standing.contestant,
                "workload": ranking.workload.name,
                "ms": figures.interval.median,
                "label": duration(figures),
                "limit": LIMIT_IN_WORDS[figures.verdict.limit],
                "is_bound": figures.verdict.is_lower_bound,
            }
