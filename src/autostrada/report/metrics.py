"""Formatting of metrics and ratios: a value with its unit, and its bounds."""

from math import inf

from autostrada.experiment.published_table import PublishedUnit
from autostrada.report import number
from autostrada.stats.interval import Interval
from autostrada.stats.metrics import Metric, Unit

LADDERS: dict[Unit, tuple[tuple[float, float, str], ...]] = {
    "ms": ((1000, 0.001, "s"), (1, 1, "ms"), (0, 1000, "µs")),
    "us": ((1000, 0.001, "ms"), (1, 1, "µs"), (0, 1000, "ns")),
    "ns": ((1e6, 1e-6, "ms"), (1000, 0.001, "µs"), (0, 1, "ns")),
    "bytes": (
        *((size, 1 / size, name) for size, name in number.SIZES),
        (0, 1, "bytes"),
    ),
    "per_s": ((1e9, 1e-9, "G"), (1e6, 1e-6, "M"), (1e4, 1e-3, "k"), (0, 1, "")),
}
"""
Display units of each unit whose scale depends on the value, the largest first.

Each step is the smallest value that it applies to, the factor by which values are
multiplied, and the display unit.
"""

UNITS: dict[Unit, tuple[float, str]] = {
    "share": (100, "%"),
    "s": (1, f"{number.THIN_SPACE}s"),
    "count": (1, ""),
    "ratio": (1, ""),
}
"""Factor and display unit of each unit with a fixed scale."""


def written(metric: Metric, value: float, unit: PublishedUnit | None = None) -> str:
    """
    Format a value with about three significant digits.

    It ends with the unit of the metric. A value in a published ``unit`` has none,
    because the caption of its table states it.
    """
    factor, name = _scale(metric.unit, value, unit)
    return f"{_plain(value * factor, value * factor)}{name}"


def column_format(metric: Metric, like: float) -> tuple[float, str, int]:
    """
    Return factor, unit and decimal places for a column of values about ``like``.

    Rates have no factor: a prefix alone says nothing in the title of a column.
    """
    factor, unit = 1.0, ""
    if metric.unit != "per_s":
        factor, unit = _scale(metric.unit, like, None)
    return factor, unit.strip(), number.decimals(abs(like * factor))


def bounds(
    metric: Metric, interval: Interval, published_unit: PublishedUnit | None = None
) -> str:
    """
    Format the bounds of an interval, with a unit as in ``written``.

    An interval without an upper bound is written as ``≥ low``. The text is empty if
    the interval has no confidence, as with one sample.
    """
    if not interval.confidence:
        return ""
    factor, unit = _scale(metric.unit, interval.median, published_unit)
    if interval.high == inf:
        return f"≥{number.THIN_SPACE}{_plain(interval.low * factor, 1)}{unit}"
    low, high = (
        _plain(value * factor, interval.median * factor)
        for value in (interval.low, interval.high)
    )
    return f"{low}{number.DASH}{high}{unit}"


def interval_detail(interval: Interval, usual: float, metric: Metric) -> str:
    """
    Format the bounds of a metric.

    The confidence is added if it differs from ``usual``. The text is empty if the
    interval has no confidence.
    """
    if not interval.confidence:
        return ""
    shown = bounds(metric, interval)
    if interval.confidence == usual:
        return shown
    return f"{shown} at {number.confidence(interval.confidence)}"


def ratio_bounds(low: float, high: float, *, like: float) -> str:
    """Format the bounds of a ratio; with one bound only, as ``≥ low`` or ``≤ high``."""
    if high == inf:
        return f"≥{number.THIN_SPACE}{number.plain(low)}" if low > 0 else "no bounds"
    if low <= 0:
        return f"≤{number.THIN_SPACE}{number.plain(high)}"
    return number.between(low, high, like=like)


def _scale(
    unit: Unit, like: float, published: PublishedUnit | None
) -> tuple[float, str]:
    """Return the factor and the display unit for values of about ``like``."""
    if published:
        return published.factor, ""
    if unit in LADDERS:
        steps = LADDERS[unit]
        factor, name = next(step[1:] for step in steps if abs(like) >= step[0])
        return factor, f"{number.THIN_SPACE}{name}" if name else ""
    return UNITS[unit]


def _plain(value: float, like: float) -> str:
    """Format a number with the decimal places of ``like``; whole numbers have none."""
    is_whole = float(value).is_integer() and float(like).is_integer()
    return number.plain(value, 0 if is_whole else number.decimals(abs(like)))
