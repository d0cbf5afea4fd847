"""
A forest plot of the published conclusions: what was measured, relative to the limit.

Each row is a conclusion with the comparison that decides it. The band is what the
conclusion requires; the dot is the measured ratio or metric with its interval, both
divided by the limit, so that conclusions about different metrics share an axis.
"""

from collections.abc import Sequence
from math import inf, sqrt
from typing import Any

import altair as alt

from autostrada.report import number
from autostrada.report.charts import theme
from autostrada.report.charts.theme import Drawing, Key
from autostrada.report.conclusion import Conclusion
from autostrada.stats.claim import Finding

COLOURS = {
    Finding.CONFIRMED: "var(--good)",
    Finding.CONTRADICTED: theme.ALARM,
    Finding.INCONCLUSIVE: "var(--doubt)",
}

FAR = 30.0
"""Largest distance from the limit that is drawn, as a factor; an arrow is beyond."""

LABEL_MAX = 30
"""Number of characters of a conclusion beside its row."""


def conclusions_chart(conclusions: Sequence[Conclusion]) -> Drawing | None:
    """Draw the conclusions that have a metric; ``None`` if fewer than two have one."""
    drawn = [
        (place, each)
        for place, each in enumerate(conclusions, start=1)
        if each.requirement and each.requirement.is_positive
    ]
    rows = [_row(place, each) for place, each in drawn]
    if len(rows) < 2:
        return None
    order = [row["contestant"] for row in rows]
    y = theme.names_axis(order)
    values = [row[key] for row in rows for key in ("low", "high", "from", "to")]
    x = theme.log_axis("value", values, unit=number.TIMES)
    data = alt.Chart(alt.InlineData(values=rows))
    colours = {str(finding): colour for finding, colour in COLOURS.items()}
    colour = theme.encoded(alt.Color, "finding:N", [*colours], [*colours.values()])
    chart = alt.layer(
        data.mark_bar(height=theme.ROW_PX - 10, color=theme.FAINT, opacity=0.6).encode(
            x=alt.X("from:Q"), x2="to:Q", y=y
        ),
        data.mark_rule(strokeWidth=3).encode(
            x=alt.X("low:Q"), x2="high:Q", y=y, color=colour
        ),
        data.mark_point(size=110, filled=True, opacity=1).encode(
            x=x,
            y=y,
            color=colour,
            tooltip=[
                alt.Tooltip("text:N", title="conclusion"),
                alt.Tooltip("finding:N"),
                alt.Tooltip("measured:N"),
            ],
        ),
    ).properties(height=theme.ROW_PX * len(order))
    found = {row["finding"] for row in rows}
    return Drawing(
        title="Measured, relative to the limit of each conclusion, logarithmic",
        legend=(
            *(key for key in theme.keys(colours, "dot") if key.label in found),
            Key(label="what it requires", colour=theme.FAINT, shape="line"),
        ),
        spec=theme.document(
            chart,
            "; ".join(f"{row['text']}: {row['finding']}" for row in rows)
            + ". The table below has the metrics.",
        ),
    )


def _row(place: int, conclusion: Conclusion) -> dict[str, Any]:
    shown = conclusion.requirement
    assert shown, "only what was measured is drawn"
    assert shown.test, "only what was measured is drawn"
    required, test = shown.required, shown.test
    # Between two limits it is the middle of both.
    limits = [limit for limit in (required.at_least, required.at_most) if limit]
    limit = sqrt(limits[0] * limits[-1])
    label = f"{place} · {conclusion.text}"
    if len(label) > LABEL_MAX:
        label = f"{label[:LABEL_MAX].rsplit(' ', 1)[0]} …"
    return {
        "contestant": label,
        "text": conclusion.text,
        "finding": str(conclusion.finding),
        "measured": conclusion.value,
        "value": _near(test.value / limit),
        "low": _near(test.low / limit),
        "high": _near(test.high / limit),
        "from": _near((required.at_least or 0.0) / limit),
        "to": _near((inf if required.at_most is None else required.at_most) / limit),
    }


def _near(value: float) -> float:
    return min(max(value, 1 / FAR), FAR)
