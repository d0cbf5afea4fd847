"""
Published beside measured: how many times the winner's duration each contestant took.

Machines and servers differ, so milliseconds do not compare; what a table says of the
distance between its own contestants does. Each table's winner is at 1.
"""

from collections.abc import Sequence

import altair as alt

from autostrada.report import number
from autostrada.report.charts import theme
from autostrada.report.charts.theme import Drawing, Key
from autostrada.report.race.published import Source, all_sources, compared_contestants
from autostrada.report.race.race import Race

NOT_MEASURED = "not measured here"


def published_chart(race: Race) -> Drawing | None:
    """Draw all tables; None where the experiment knows no published one."""
    if not race.experiment.published:
        return None
    sources = all_sources(race)
    contestants = dict(compared_contestants(race))
    rows = [
        {
            "contestant": name,
            "to_winner": figure.to_winner,
            "ratio": number.times(figure.to_winner),
            "source": source.title,
        }
        for source in sources
        for name, figure in source.figures.items()
    ]
    legend = _legend(sources)
    y = theme.names_axis(
        list(contestants),
        absent=[name for name, is_measured in contestants.items() if not is_measured],
        remark=NOT_MEASURED,
    )
    x = theme.log_axis(
        "to_winner",
        [figure.to_winner for source in sources for figure in source.figures.values()],
        unit=number.TIMES,
    )
    data = alt.Chart(alt.InlineData(values=rows))
    span = data.mark_rule(color=theme.FAINT, strokeWidth=2).encode(
        x=alt.X("min(to_winner):Q"), x2=alt.X2("max(to_winner):Q"), y=y
    )
    chart = alt.layer(span, _points(data, x, y, legend))
    return Drawing(
        title="duration relative to the winner of the same table, logarithmic",
        legend=legend,
        spec=theme.document(
            chart.properties(height=theme.ROW_PX * len(contestants)),
            f"Duration relative to the winner of the same table, for "
            f"{', '.join(contestants)}, in {'; '.join(key.label for key in legend)}. "
            f"The table below has the same figures.",
        ),
    )


def _legend(sources: Sequence[Source]) -> tuple[Key, ...]:
    """Return a key a table; a workload has the colour that it has in other charts."""
    measured = [source.title for source in sources if source.is_measured]
    published = [source.title for source in sources if not source.is_measured]
    places = {title: place for place, title in enumerate(measured + published)}
    return tuple(
        Key(
            label=source.title,
            colour=theme.series_colour(places[source.title]),
            shape="dot" if source.is_measured else "hollow",
        )
        for source in sources
    )


def _points(data: alt.Chart, x: alt.X, y: alt.Y, legend: Sequence[Key]) -> alt.Chart:
    titles = [key.label for key in legend]
    strokes = [key.colour for key in legend]
    fills = [key.colour if key.shape == "dot" else "transparent" for key in legend]
    shapes = ["circle" if key.shape == "dot" else "diamond" for key in legend]
    # The later a table, the smaller its points: those below them stay visible.
    sizes = [220 - 180 * place // len(legend) for place in range(len(legend))]
    points = data.mark_point(strokeWidth=2, opacity=1)
    dots: alt.Chart = points.encode(
        x=x,
        y=y,
        size=alt.Size(
            "source:O", scale=alt.Scale(domain=titles, range=sizes), legend=None
        ),
        stroke=alt.Stroke(
            "source:N", scale=alt.Scale(domain=titles, range=strokes), legend=None
        ),
        fill=alt.Fill(
            "source:N", scale=alt.Scale(domain=titles, range=fills), legend=None
        ),
        shape=alt.Shape(
            "source:N", scale=alt.Scale(domain=titles, range=shapes), legend=None
        ),
        tooltip=["contestant:N", "source:N", "ratio:N"],
    )
    return dots
