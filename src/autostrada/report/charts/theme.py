"""
The common style of all charts: colours, labels and axes.

Colours are CSS variables of the page, which SVG allows. The page's style sheet selects
light or dark mode, without drawing the charts again.
"""

import math
from collections.abc import Mapping, Sequence

from autostrada.report import number
from autostrada.report.charts.chart import Axis, Key, Shape, Tick

INK = "var(--ink)"
MUTED = "var(--muted)"
FAINT = "var(--faint)"
PAPER = "var(--paper)"
ACCENT = "var(--accent)"
ALARM = "var(--alarm)"
SERIES = [f"var(--series-{place})" for place in range(1, 9)]

ROW_PX = 32
LABEL_PX = 12

LABEL_DIGITS = 6
"""Significant digits of a number in a label."""

SPAN = {"x1": "low", "x2": "high", "y": "contestant"}
"""Place of the interval of a contestant."""

POINT = {"x": "value", "y": "contestant"}
"""Place of the value of a contestant."""

LOOK = {"fill": "fill", "stroke": "colour", "symbol": "symbol", "title": "title"}
"""Look of dots whose rows have the columns of ``look``, and a tooltip."""


def series_colour(index: int) -> str:
    """Return the colour of the series at ``index``; colours repeat after eight."""
    return SERIES[index % len(SERIES)]


def keys(colours: Mapping[str, str], shape: Shape) -> list[Key]:
    """Return the entries of a legend, by label."""
    return [
        Key(label=label, colour=colour, shape=shape)
        for label, colour in colours.items()
    ]


def look(key: Key) -> dict[str, str]:
    """Return the columns of a dot that looks like an entry of the legend."""
    fills = {"ring": PAPER, "hollow": "transparent"}
    return {
        "colour": key.colour,
        "fill": fills.get(key.shape, key.colour),
        "symbol": "diamond2" if key.shape in {"diamond", "hollow"} else "circle",
    }


def tooltip(values: Mapping[str, str | float]) -> str:
    """Return a line for each value that is known, with its name."""
    texts = {
        name: value if isinstance(value, str) else _written(value)
        for name, value in values.items()
    }
    return "\n".join(f"{name}: {text}" for name, text in texts.items() if text)


def names_axis(order: Sequence[str]) -> Axis:
    """
    Return an axis with a row per contestant, in the given order.

    The name of a variant breaks before its plus sign.
    """
    return Axis(
        scale="names",
        domain=tuple(order),
        ticks=tuple(
            Tick(value=name, label=name.replace("+", "\n+", 1)) for name in order
        ),
        has_grid=False,
    )


def log_axis(values: Sequence[float], *, unit: str = "") -> Axis:
    """
    Return a logarithmic axis with ticks at 1, 2 and 5 times powers of ten.

    Contestants differ by factors of up to a few hundred; on a linear axis from zero,
    fast ones would fall on the same pixel. Because a logarithmic axis has no zero, use
    it for points and rules, but not for bars. All values must be positive.
    """
    low, high = math.log10(min(values)), math.log10(max(values))
    room = max(0.08 * (high - low), 0.06)
    bounds = (10 ** (low - room), 10 ** (high + room))
    return Axis(
        scale="log",
        domain=bounds,
        ticks=tuple(tick(value, unit) for value in one_two_five(*bounds)),
    )


def tick(value: float, unit: str = "", factor: float = 1.0) -> Tick:
    """Return a tick; ``factor`` converts its value to the unit of the label."""
    return Tick(value=value, label=f"{_written(value * factor)}{unit}")


def one_two_five(low: float, high: float) -> list[float]:
    """Return ticks at 1, 2 and 5 times powers of ten; without 2 if there are many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [step * 10.0**power for power in powers for step in (1, 2, 5)]
    within = [tick for tick in ticks if low <= tick <= high]
    return within if len(within) < 7 else [t for t in within if str(t)[0] != "2"]


def _written(value: float) -> str:
    return number.exact(float(f"{value:.{LABEL_DIGITS}g}"))
