"""
A forest plot of the published conclusions: what was measured, relative to the limit.

Each row is a conclusion with the comparison that decides it. The band is what the
conclusion requires; the dot is the measured ratio or metric with its interval, both
divided by the limit, so that conclusions about different metrics share an axis.
"""

from collections.abc import Sequence
from math import inf, sqrt
from typing import Any

from autostrada.report import number
from autostrada.report.charts import theme
from autostrada.report.charts.chart import Chart, Key, Options, mark
from autostrada.report.conclusion import Conclusion
from autostrada.stats.claim import Finding

COLOURS = {
    str(Finding.CONFIRMED): "var(--good)",
    str(Finding.CONTRADICTED): theme.ALARM,
    str(Finding.INCONCLUSIVE): "var(--doubt)",
}

FAR = 30.0
"""Largest distance from the limit that is drawn, as a factor; an arrow is beyond."""

LABEL_MAX = 30
"""Number of characters of a conclusion beside its row."""

REQUIRED: Options = {
    "fill": theme.FAINT,
    "opacity": 0.6,
    "insetTop": 5,
    "insetBottom": 5,
}


def conclusions_chart(conclusions: Sequence[Conclusion]) -> Chart | None:
    """Draw the conclusions that have a metric; ``None`` if fewer than two have one."""
    rows = [
        _row(place, each)
        for place, each in enumerate(conclusions, start=1)
        if each.requirement and each.requirement.is_positive
    ]
    if len(rows) < 2:
        return None
    values = [row[key] for row in rows for key in ("low", "high", "from", "to")]
    found = {row["finding"] for row in rows}
    drawn = [row | _look(row) for row in rows]
    return Chart(
        title="Measured, relative to the limit of each conclusion, logarithmic",
        description="; ".join(f"{row['text']}: {row['finding']}" for row in rows)
        + ". The table below has the metrics.",
        height_px=theme.ROW_PX * len(rows),
        x=theme.log_axis(values, unit=number.TIMES),
        y=theme.names_axis([row["contestant"] for row in rows]),
        marks=(
            mark("barX", rows, x1="from", x2="to", y="contestant", **REQUIRED),
            mark("ruleY", drawn, **theme.SPAN, stroke="colour", strokeWidth=3),
            mark("dot", drawn, **theme.POINT, r=5.9, fill="colour", title="title"),
        ),
        table=rows,
        legend=(
            *(key for key in theme.keys(COLOURS, "dot") if key.label in found),
            Key(label="what it requires", colour=theme.FAINT, shape="line"),
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


def _look(row: dict[str, Any]) -> dict[str, str]:
    shown = {"conclusion": "text", "finding": "finding", "measured": "measured"}
    title = theme.tooltip({name: row[column] for name, column in shown.items()})
    return {"colour": COLOURS.get(row["finding"], theme.MUTED), "title": title}
