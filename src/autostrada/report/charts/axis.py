"""Axes for swept parameters and for metrics of any unit."""

import math
from collections.abc import Sequence

import altair as alt

from autostrada.report import number
from autostrada.report.charts import theme
from autostrada.stats.metrics import Unit

FACTOR_LINEAR_MAX = 30
"""Largest ratio of two values that is shown on a linear axis."""

EDGE_PX = 12
"""Distance between the edge of a chart and its first and last points."""


def parameter_axis(field: str, values: Sequence[float]) -> alt.X:
    """Return an axis for a swept parameter; logarithmic for a wide range of values."""
    tried = sorted({*values})
    is_logarithmic = _is_logarithmic(tried)
    return alt.X(
        f"{field}:Q",
        scale=alt.Scale(
            type="log" if is_logarithmic else "linear",
            zero=False,
            nice=False,
            padding=EDGE_PX,
        ),
        axis=alt.Axis(
            values=tried if len(tried) < 12 else alt.Undefined,
            labelExpr="format(datum.value, ',~r')",
            labelColor=theme.MUTED,
            labelOverlap="greedy",
            labelSeparation=6,
            grid=False,
        ),
    )


def seconds_axis(field: str, last: float | None = None) -> alt.X:
    """Return an axis for a time in seconds, from 0 to ``last`` if it is given."""
    return alt.X(
        f"{field}:Q",
        scale=alt.Undefined if last is None else alt.Scale(domain=[0, last]),
        axis=alt.Axis(
            labelExpr=_label(1.0, f"{number.THIN_SPACE}s"),
            labelColor=theme.MUTED,
            grid=False,
            tickMinStep=1,
        ),
    )


def percentile_axis(field: str, last: int) -> alt.X:
    """Return an axis for how many values one value exceeds: 100 is p99."""
    powers = (10**power for power in range(1, len(str(last))))
    return alt.X(
        f"{field}:Q",
        scale=alt.Scale(type="log", domain=[1, last], nice=False),
        axis=alt.Axis(
            values=[1, 2, *powers],
            labelExpr="'p' + format(100 - 100 / datum.value, '~r')",
            labelColor=theme.MUTED,
            grid=False,
        ),
    )


def value_axis(field: str, values: Sequence[float], unit: Unit) -> alt.Y:
    """Return an axis for a metric: linear from 0, or logarithmic for a wide range."""
    factor, label = _scale(unit, max(values))
    low, high = min(values) * factor, max(values) * factor
    is_logarithmic = _is_logarithmic(values)
    if is_logarithmic:
        room = (high / low) ** 0.05
        bounds = [low / room, high * room]
        ticks = _few(theme.one_two_five(*bounds))
    else:
        ticks = _from_zero(high)
        bounds = [0.0, max(high * 1.05, ticks[-1])]
    return alt.Y(
        f"{field}:Q",
        scale=alt.Scale(
            type="log" if is_logarithmic else "linear",
            domain=[bound / factor for bound in bounds],
            nice=False,
        ),
        axis=alt.Axis(
            values=[tick / factor for tick in ticks],
            labelExpr=label,
            labelColor=theme.MUTED,
            labelOverlap="greedy",
        ),
    )


def _is_logarithmic(values: Sequence[float]) -> bool:
    low = min(values)
    return low > 0 and max(values) / low > FACTOR_LINEAR_MAX


def _from_zero(top: float) -> list[float]:
    """Return at most six round ticks from zero up to ``top``."""
    if top <= 0:
        return [0.0, 1.0]
    power = 10.0 ** math.floor(math.log10(top / 5))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power * 5 >= top)
    return [step * count for count in range(math.floor(top / step) + 1)]


def _few(ticks: list[float]) -> list[float]:
    """Return the ticks; if there are more than eight, only the powers of ten."""
    return ticks if len(ticks) <= 8 else [tick for tick in ticks if _is_power(tick)]


def _is_power(value: float) -> bool:
    exponent = math.log10(value)
    return math.isclose(exponent, round(exponent), abs_tol=1e-9)


def _scale(unit: Unit, top: float) -> tuple[float, str]:
    """Return the factor to the unit with round ticks, and Vega's label expression."""
    if unit == "ms":
        return 1.0, _MILLISECONDS
    if unit == "bytes":
        fitting = (each for each in number.SIZES if top >= each[0])
        size, name = next(fitting, (1, "bytes"))
        return 1 / size, _label(1 / size, f"{number.THIN_SPACE}{name}")
    if unit == "share":
        return 100.0, _label(100.0, "%")
    names = {"s": "s", "us": "µs", "ns": "ns"}
    return 1.0, _label(
        1.0, f"{number.THIN_SPACE}{names[unit]}" if unit in names else ""
    )


def _label(factor: float, suffix: str) -> str:
    return f"format(datum.value * {factor!r}, ',~r') + '{suffix}'"


_MILLISECONDS = (
    f"datum.value >= 1000 ? {_label(1e-3, number.THIN_SPACE + 's')} : "
    f"datum.value == 0 || datum.value >= 1 ? {_label(1.0, number.THIN_SPACE + 'ms')} : "
    f"{_label(1e3, number.THIN_SPACE + 'µs')}"
)
"""Label expression of latencies, which range from microseconds to minutes."""
