"""
The common style of all charts: colours, fonts and axes.

Colours are CSS variables of the page, which SVG allows. The page's style sheet selects
light or dark mode, without drawing the charts again.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

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

Channel = TypeVar("Channel", alt.Color, alt.Fill, alt.Shape, alt.Size, alt.Stroke)
Shape = Literal["dot", "ring", "diamond", "hollow", "line"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Key:
    """One entry of a legend."""

    label: str
    colour: str
    shape: Shape


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawing:
    """
    A chart with its title and legend.

    Title and legend are not part of the chart: the page shows them as HTML, which wraps
    on a narrow screen, while a chart would cut them off.
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


def series_colour(index: int) -> str:
    """Return the colour of the series at ``index``; colours repeat after eight."""
    return SERIES[index % len(SERIES)]


def keys(colours: Mapping[str, str], shape: Shape) -> list[Key]:
    """Return the entries of a legend, by label."""
    return [
        Key(label=label, colour=colour, shape=shape)
        for label, colour in colours.items()
    ]


def encoded(
    channel: type[Channel], field: str, names: Sequence[str], values: Sequence[Any]
) -> Channel:
    """Return a channel with a value for each name; legends are not part of charts."""
    scale = alt.Scale(domain=list(names), range=list(values))
    return channel(field, scale=scale, legend=None)


def names_axis(order: Sequence[str]) -> alt.Y:
    """
    Return an axis with a row per contestant, in the given order.

    The name of a variant breaks before its plus sign.
    """
    lines = (
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
            # Vega aligns the first of two lines with the row, not their centre.
            labelOffset=alt.condition(
                "indexof(datum.label, '+') >= 0",
                alt.value(-(LABEL_PX + 2) / 2),
                alt.value(0),
            ),
        ),
    )


def log_axis(field: str, values: Sequence[float], *, unit: str = "") -> alt.X:
    """
    Return a logarithmic axis with ticks at 1, 2 and 5 times powers of ten.

    Contestants differ by factors of up to a few hundred; on a linear axis from zero,
    fast ones would fall on the same pixel. Because a logarithmic axis has no zero, use
    it for points and rules, but not for bars. All values must be positive.
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
    """Return ticks at 1, 2 and 5 times powers of ten; without 2 if there are many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [step * 10.0**power for power in powers for step in (1, 2, 5)]
    within = [tick for tick in ticks if low <= tick <= high]
    return within if len(within) < 7 else [t for t in within if str(t)[0] != "2"]
