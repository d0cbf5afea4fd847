"""
How a course is drawn: strokes in a square that is stretched, and labels beside it.

The page stretches the lines to whatever width it has and sets the labels itself, so
that they stay as large as its other words on a phone. What lies where is said in shares
of the drawing: 0 is left and below, 1 is right and above.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

from autostrada.report import number
from autostrada.report.course.course import Course, Panel, Trace

WIDTH = 1000
HEIGHT = 1000
"""The square's own units; a stroke lies on whole ones, and can be read from them."""

TICKS_MAX = 5
"""Of time; more would touch one another on a phone."""

TIME_STEPS = (1, 2, 5)
SCALE_ENDS = (1, 2, 3, 4, 5, 6, 8)
"""Digits of round numbers; those of scales have a round half, too."""

BEYOND_SHARE_MAX = 0.05
"""A core that is busy for 104 % of the time, by two clocks, needs no scale of two."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tick:
    """A label, and where on its axis it stands."""

    share: float
    label: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Stroke:
    """One line as SVG has it, or a dot where there was a single look."""

    points: str
    process: str
    is_middle: bool
    is_dot: bool
    title: str


@dataclass(frozen=True, kw_only=True, slots=True)
class DrawnPanel:
    """One figure over time."""

    title: str
    end: float
    """Of its scale, which begins at zero."""

    ticks: tuple[Tick, ...]
    strokes: tuple[Stroke, ...]
    """The median repetition last, above the others."""

    description: str
    absence: str


@dataclass(frozen=True, kw_only=True, slots=True)
class DrawnCourse:
    """The panels of a course, one below the other, and the time that they share."""

    duration_s: float
    panels: tuple[DrawnPanel, ...]
    ticks: tuple[Tick, ...]


def draw(course: Course) -> DrawnCourse:
    """Draw a course; each panel has a scale from zero."""
    return DrawnCourse(
        duration_s=course.duration_s,
        panels=tuple(_panel(panel, course.duration_s) for panel in course.panels),
        ticks=time_ticks(course.duration_s),
    )


def time_ticks(duration_s: float) -> tuple[Tick, ...]:
    """Return round instants from 0 on, with their unit."""
    unit, duration = ("s", duration_s) if duration_s >= 1 else ("ms", duration_s * 1e3)
    step = next(
        each for each in _round(duration, TIME_STEPS) if each * TICKS_MAX > duration
    )
    return tuple(
        Tick(
            share=place * step / duration,
            label=f"{place * step:g}{number.THIN_SPACE}{unit}",
        )
        for place in range(floor(duration / step) + 1)
    )


def scale_end(highest: float) -> float:
    """Return a round number that has room for a figure, or nearly so."""
    needed = highest / (1 + BEYOND_SHARE_MAX)
    return next(each for each in _round(highest, SCALE_ENDS) if each >= needed)


def _panel(panel: Panel, duration_s: float) -> DrawnPanel:
    end = scale_end(_highest(panel.traces))
    return DrawnPanel(
        title=panel.title,
        end=end,
        ticks=tuple(
            Tick(share=share, label=_level(share * end)) for share in (0, 0.5, 1)
        ),
        strokes=tuple(
            Stroke(
                points=_points(trace, duration_s, end),
                process=trace.process,
                is_middle=trace.is_middle,
                is_dot=len(trace.line) == 1,
                title=_title(trace),
            )
            for trace in sorted(panel.traces, key=lambda each: each.is_middle)
        ),
        description=_description(panel),
        absence=panel.absence,
    )


def _points(trace: Trace, duration_s: float, end: float) -> str:
    """Return points as SVG has them; a single one twice, or it would not be drawn."""
    line = trace.line if len(trace.line) > 1 else trace.line * 2
    return " ".join(
        f"{WIDTH * at_s / duration_s:.0f},{HEIGHT * (1 - level / end):.0f}"
        for at_s, level in line
    )


def _title(trace: Trace) -> str:
    median = ", the median" if trace.is_middle else ""
    return f"{trace.process}, repetition {trace.repetition + 1}{median}"


def _description(panel: Panel) -> str:
    """Say in words what the median repetition came to at most."""
    said = "; ".join(
        f"{trace.process} at most {_level(_highest([trace]))}"
        for trace in panel.traces
        if trace.is_middle
    )
    return f"{panel.title}; in the median repetition: {said}"


def _highest(traces: Sequence[Trace]) -> float:
    return max((level for trace in traces for _, level in trace.line), default=0.0)


def _level(level: float) -> str:
    """Write a figure shortly: 0.5, 40, 2.5 M."""
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if level >= 10 * 1e3 and level >= size:
            return f"{level / size:.3g}{number.THIN_SPACE}{unit}"
    return number.plain(level, 0) if level >= 1000 else f"{level:.3g}"


def _round(value: float, digits: Sequence[int]) -> Sequence[float]:
    """Return round numbers around a value, ascending; 1 is the one around 0."""
    if value <= 0:
        return [1.0]
    power = floor(log10(value))
    return [
        digit * 10.0**exponent
        for exponent in (power - 1, power, power + 1)
        for digit in digits
    ]
