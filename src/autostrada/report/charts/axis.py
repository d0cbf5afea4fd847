"""Axes for swept parameters and for metrics of any unit."""

import math
from collections.abc import Sequence

from autostrada.report import number
from autostrada.report.charts import theme
from autostrada.report.charts.chart import Axis, Tick
from autostrada.stats.metrics import Unit

FACTOR_LINEAR_MAX = 30
"""Largest ratio of two values that is shown on a linear axis."""

EDGE_SHARE = 0.015
"""Room before the first and after the last point of a parameter, of their distance."""

TRIED_MAX = 11
"""Largest number of values of a parameter of which each has a tick."""

CHANGE_MIN = 0.005
"""Smallest change to which an axis of changes extends."""


def parameter_axis(values: Sequence[float]) -> Axis:
    """Return an axis for a swept parameter; logarithmic for a wide range of values."""
    tried = sorted({*values})
    low, high = tried[0], tried[-1]
    is_logarithmic = _is_logarithmic(tried)
    if is_logarithmic:
        room = (high / low) ** EDGE_SHARE
        bounds = (low / room, high * room)
    else:
        room = EDGE_SHARE * (high - low)
        bounds = (low - room, high + room)
    if len(tried) > TRIED_MAX:
        tried = (
            theme.one_two_five(low, high)
            if is_logarithmic
            else _multiples(low, high, steps_max=10)
        )
    return Axis(
        scale="log" if is_logarithmic else "linear",
        domain=bounds,
        ticks=tuple(map(theme.tick, tried)),
        has_grid=False,
    )


def seconds_axis(last: float) -> Axis:
    """Return an axis for a time in seconds, from 0 to ``last``, in whole seconds."""
    ticks = _multiples(0.0, last, steps_max=10, step_min=1.0)
    return Axis(
        scale="linear",
        domain=(0.0, last),
        ticks=tuple(theme.tick(each, f"{number.THIN_SPACE}s") for each in ticks),
        has_grid=False,
    )


def percentile_axis(last: int) -> Axis:
    """Return an axis for how many values one value exceeds: 100 is p99."""
    powers = (10**power for power in range(1, len(str(last))))
    return Axis(
        scale="log",
        domain=(1, last),
        ticks=tuple(
            Tick(value=each, label=f"p{100 - 100 / each:.6g}")
            for each in (1, 2, *powers)
        ),
        has_grid=False,
    )


def value_axis(values: Sequence[float], unit: Unit) -> Axis:
    """Return an axis for a metric: linear from 0, or logarithmic for a wide range."""
    factor, suffix = _scale(unit, max(values))
    low, high = min(values) * factor, max(values) * factor
    is_logarithmic = _is_logarithmic(values)
    if is_logarithmic:
        room = (high / low) ** 0.05
        bounds = (low / room, high * room)
        ticks = _few(theme.one_two_five(*bounds))
    else:
        ticks = _multiples(0.0, high) if high > 0 else [0.0, 1.0]
        bounds = (0.0, max(high * 1.05, ticks[-1]))
    return Axis(
        scale="log" if is_logarithmic else "linear",
        domain=tuple(bound / factor for bound in bounds),
        ticks=tuple(
            _milliseconds(tick)
            if unit == "ms"
            else theme.tick(tick / factor, suffix, factor)
            for tick in ticks
        ),
    )


def times_axis(low: float, high: float) -> Axis:
    """Return a logarithmic axis for latencies between two bounds, in milliseconds."""
    ticks = _few(theme.one_two_five(low, high))
    if len(ticks) < 3:
        ticks = _multiples(low, high)
    return Axis(
        scale="log",
        domain=(low, high),
        ticks=tuple(map(_milliseconds, ticks)),
        has_grid=False,
    )


def change_axis(changes: Sequence[float]) -> Axis:
    """Return an axis for changes as percentages with their signs, which includes 0."""
    low, high = min([0.0, *changes]), max([CHANGE_MIN, *changes])
    step = _step(high - low, steps_max=5)
    counts = range(math.floor(low / step), math.ceil(high / step) + 1)
    return Axis(
        scale="linear",
        domain=(step * counts[0], step * counts[-1]),
        ticks=tuple(
            Tick(
                value=step * count,
                label=f"{step * count:+.1%}".replace("-", "\N{MINUS SIGN}"),
            )
            for count in counts
        ),
    )


def _is_logarithmic(values: Sequence[float]) -> bool:
    low = min(values)
    return low > 0 and max(values) / low > FACTOR_LINEAR_MAX


def _multiples(
    low: float, high: float, *, steps_max: int = 5, step_min: float = 0.0
) -> list[float]:
    """Return the multiples of a round step between two bounds."""
    step = max(step_min, _step(high - low, steps_max))
    return [
        step * count
        for count in range(math.ceil(low / step), math.floor(high / step) + 1)
    ]


def _step(span: float, steps_max: int) -> float:
    """Return the smallest round step of which the span has at most so many."""
    power = 10.0 ** math.floor(math.log10(span / steps_max))
    return next(
        factor * power for factor in (1, 2, 5, 10) if factor * power * steps_max >= span
    )


def _few(ticks: list[float]) -> list[float]:
    """Return the ticks; if there are more than eight, only the powers of ten."""
    return ticks if len(ticks) <= 8 else [tick for tick in ticks if _is_power(tick)]


def _is_power(value: float) -> bool:
    exponent = math.log10(value)
    return math.isclose(exponent, round(exponent), abs_tol=1e-9)


def _scale(unit: Unit, top: float) -> tuple[float, str]:
    """Return the factor to the unit with round ticks, and the end of its labels."""
    if unit == "bytes":
        fitting = (each for each in number.SIZES if top >= each[0])
        size, name = next(fitting, (1, "bytes"))
        return 1 / size, f"{number.THIN_SPACE}{name}"
    if unit == "share":
        return 100.0, "%"
    names = {"s": "s", "us": "µs", "ns": "ns"}
    return 1.0, f"{number.THIN_SPACE}{names[unit]}" if unit in names else ""


def _milliseconds(value: float) -> Tick:
    """Return a tick of latencies, which range from microseconds to minutes."""
    if value >= 1000:
        return theme.tick(value, f"{number.THIN_SPACE}s", 1e-3)
    if value == 0 or value >= 1:
        return theme.tick(value, f"{number.THIN_SPACE}ms")
    return theme.tick(value, f"{number.THIN_SPACE}µs", 1e3)
