"""
How every chart looks: colours are the page's CSS variables, widths are its columns'.

The charts are drawn as SVG, in which a colour may be ``var(--ink)``. So the page's
style sheet decides about light and dark, and a chart need not be drawn again.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt

INK = "var(--ink)"
MUTED = "var(--muted)"
FAINT = "var(--faint)"
PAPER = "var(--paper)"
ACCENT = "var(--accent)"
ALARM = "var(--alarm)"
SERIES = [f"var(--series-{number})" for number in range(1, 9)]

ROW_PX = 32
LABEL_PX = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class Key:
    """One entry of a legend."""

    label: str
    colour: str
    shape: Literal["dot", "ring", "diamond", "hollow", "line"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawing:
    """
    A chart, and the words around it.

    Title and legend are the page's business: in HTML they wrap on a narrow screen,
    while in a chart they would be cut off.
    """

    title: str
    legend: tuple[Key, ...]
    spec: dict[str, Any]


def document(
    chart: alt.Chart | alt.LayerChart | alt.FacetChart, description: str
) -> dict[str, Any]:
    """Return a chart as a Vega-Lite document that fills its container's width."""
    styled = chart.properties(
        width="container",
        background="transparent",
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        padding=0,
        description=description,
    ).configure(
        font="system-ui, sans-serif",
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(
            title=None,
            labelColor=INK,
            labelFontSize=LABEL_PX,
            gridColor=FAINT,
            domain=False,
            ticks=False,
            labelPadding=8,
            labelLimit=0,
        ),
    )
    spec: dict[str, Any] = styled.to_dict()
    del spec["$schema"]
    return spec


def series_colour(place: int) -> str:
    """Return the colour of one of several things; they repeat after eight."""
    return SERIES[place % len(SERIES)]


def names_axis(
    order: Sequence[str], *, absent: Collection[str] = (), remark: str = ""
) -> alt.Y:
    """
    Return a row a contestant, in the given order; a variant breaks at its plus.

    Those that are ``absent`` carry the remark below their names.
    """
    is_absent = f"indexof({sorted(absent)}, datum.label) >= 0"
    lines = (
        f"{is_absent} ? [datum.label, '{remark}'] : "
        "indexof(datum.label, '+') < 0 ? datum.label : "
        "[slice(datum.label, 0, indexof(datum.label, '+')), "
        "slice(datum.label, indexof(datum.label, '+'))]"
    )
    return alt.Y(
        "contestant:N",
        sort=list(order),
        axis=alt.Axis(
            grid=False,
            labelExpr=lines,
            labelLineHeight=LABEL_PX + 2,
            # Vega sets the first of two lines beside the row, not their middle.
            labelOffset=alt.condition(
                f"{is_absent} || indexof(datum.label, '+') >= 0",
                alt.value(-(LABEL_PX + 2) / 2),
                alt.value(0),
            ),
            labelColor=alt.condition(is_absent, alt.value(MUTED), alt.value(INK)),
        ),
    )


def log_axis(field: str, values: Sequence[float], *, unit: str = "") -> alt.X:
    """
    Return a logarithmic axis with room for labels, ticks at 1, 2 and 5 times tens.

    Contestants lie up to a few hundred times apart; on a linear axis that starts at
    zero the fast ones would be one and the same pixel. Such an axis has no zero, so
    only points and rules may be drawn on it, no bars.
    """
    low, high = math.log10(min(values)), math.log10(max(values))
    room = max(0.08 * (high - low), 0.06)
    bounds = [10 ** (low - room), 10 ** (high + room)]
    return alt.X(
        f"{field}:Q",
        scale=alt.Scale(type="log", domain=bounds, nice=False),
        axis=alt.Axis(
            values=one_two_five(*bounds),
            labelExpr=f"format(datum.value, ',~r') + '{unit}'",
            labelColor=MUTED,
            labelOverlap="greedy",
            labelSeparation=6,
        ),
    )


def one_two_five(low: float, high: float) -> list[float]:
    """Return ticks at 1, 2 and 5 times tens; without 2 where they were too many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [step * 10.0**power for power in powers for step in (1, 2, 5)]
    within = [tick for tick in ticks if low <= tick <= high]
    return within if len(within) < 7 else [t for t in within if str(t)[0] != "2"]
