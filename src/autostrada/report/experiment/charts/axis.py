"""Axes for what was swept and for figures of any unit."""

import math
from collections.abc import Sequence

import altair as alt

from autostrada.report import number
from autostrada.report.charts import theme
from autostrada.report.experiment.figure import Unit

FACTOR_LINEAR_MAX = 30
"""Values that lie farther apart than this need a logarithmic axis."""

LONG_MS = 10_000
"""From here on, durations are written in seconds."""

_SIZES = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


def parameter_axis(field: str, values: Sequence[float]) -> alt.X:
    """Return an axis for what was swept; logarithmic where it was swept by factors."""
    tried = sorted({*values})
    is_logarithmic = _is_logarithmic(tried)
    return alt.X(
        f"{field}:Q",
        scale=alt.Scale(
            type="log" if is_logarithmic else "linear", zero=False, nice=False
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


def value_axis(field: str, values: Sequence[float], unit: Unit) -> alt.Y:
    """Return an axis for a figure, from zero unless it has to be logarithmic."""
    factor, suffix = _scale(unit, max(values))
    low, high = min(values) * factor, max(values) * factor
    is_logarithmic = _is_logarithmic(values)
    if is_logarithmic:
        room = (high / low) ** 0.05
        bounds = [low / room, high * room]
        ticks = theme.one_two_five(*bounds)
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
            labelExpr=f"format(datum.value * {factor!r}, ',~r') + '{suffix}'",
            labelColor=theme.MUTED,
            labelOverlap="greedy",
        ),
    )


def _is_logarithmic(values: Sequence[float]) -> bool:
    low = min(values)
    return low > 0 and max(values) / low > FACTOR_LINEAR_MAX


def _from_zero(top: float) -> list[float]:
    """Return round ticks from zero up to a value, six at most."""
    if top <= 0:
        return [0.0, 1.0]
    power = 10.0 ** math.floor(math.log10(top / 5))
    step = next(each * power for each in (1, 2, 5, 10) if each * power * 5 >= top)
    return [step * count for count in range(math.floor(top / step) + 1)]


def _scale(unit: Unit, top: float) -> tuple[float, str]:
    """Return by what values are multiplied for a label, and the unit behind it."""
    space = number.THIN_SPACE
    if unit == "bytes":
        sizes = (each for each in _SIZES if top >= each[0])
        size, name = next(sizes, (1, "bytes"))
        return 1 / size, f"{space}{name}"
    if unit == "ms" and top >= LONG_MS:
        return 1e-3, f"{space}s"
    return {
        "share": (100.0, "%"),
        "ms": (1.0, f"{space}ms"),
        "s": (1.0, f"{space}s"),
        "us": (1.0, f"{space}µs"),
    }.get(unit, (1.0, ""))
