"""
The trials over time: how many messages had arrived when, a line a repetition.

Cumulated, because a rate would need whole seconds and the fast contestants are done
before the first one ends. A straight line is a steady contestant; the repetitions lie
on each other where it is also a repeatable one.
"""

import altair as alt

from autostrada.experiment.matrix import REFERENCE
from autostrada.report.charts import theme
from autostrada.report.charts.theme import Drawing, Key
from autostrada.report.race.race import Race, Ranking

PICKED = "picked"
"""The name of the parameter that singles out a contestant; empty for all."""


def series_chart(race: Race, ranking: Ranking) -> Drawing | None:
    """Draw one workload; None where nothing was measured."""
    colours = _colours(race)
    middles = {
        standing.contestant: standing.figures.interval.median
        for standing in (ranking.reference, *ranking.standings)
        if standing and standing.figures
    }
    if not middles:
        return None
    rows = [
        {
            "contestant": row["contestant"],
            "repetition": row["repetition"],
            "at_s": row["at_s"],
            "received": row["received"],
        }
        for row in race.series
        if row["workload"] == ranking.workload.name
    ]
    order = [name for name in colours if name in middles]
    picked = alt.param(name=PICKED, value="")
    is_shown = f"{PICKED} == '' || {PICKED} == datum.contestant"
    lines = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line(strokeWidth=1.25, point={"size": 14, "filled": True})
        .encode(
            x=alt.X(
                "at_s:Q",
                axis=alt.Axis(
                    labelColor=theme.MUTED, labelExpr="datum.label + ' s'", tickCount=5
                ),
            ),
            y=alt.Y(
                "received:Q",
                axis=alt.Axis(
                    labelColor=theme.MUTED,
                    labelExpr="datum.value == 0 ? '0' : format(datum.value, '~s')",
                    tickCount=4,
                ),
            ),
            color=alt.Color(
                "contestant:N",
                scale=alt.Scale(domain=order, range=[colours[name] for name in order]),
                legend=None,
            ),
            detail="repetition:N",
            opacity=alt.condition(is_shown, alt.value(0.65), alt.value(0.06)),
        )
        .add_params(picked)
        .properties(height=300)
    )
    return Drawing(
        title="messages received, by seconds since the first byte was sent",
        legend=tuple(
            Key(label=name, colour=colours[name], shape="line") for name in order
        ),
        spec=theme.document(
            lines,
            f"{ranking.workload.name}: messages received over time, a line for each "
            f"repetition of {', '.join(order)}. The steeper, the faster.",
        ),
    )


def _colours(race: Race) -> dict[str, str]:
    """Give each contestant one colour in all charts, by the first workload's order."""
    names = dict.fromkeys(
        standing.contestant
        for ranking in race.rankings
        for standing in ranking.standings
    )
    return {REFERENCE: theme.MUTED} | {
        name: theme.series_colour(place) for place, name in enumerate(names)
    }
