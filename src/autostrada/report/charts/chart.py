"""
A chart as data: what a page draws with Observable Plot, and what its table has.

Everything is decided here: positions, labels, colours. A page only draws.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Shape = Literal["dot", "ring", "diamond", "hollow", "line"]

Scale = Literal["linear", "log", "names"]

MarkKind = Literal["barX", "dot", "lineY", "rect", "ruleX", "ruleY", "text", "tickX"]
"""The function of Observable Plot that draws a mark."""

Rows = Sequence[Mapping[str, str | float | None]]
"""Rows of a table by column name; an unknown value is ``None`` or absent."""


Options = Mapping[str, str | float]
"""
Options of a mark in Observable Plot.

A text is the name of a column, or a constant colour, symbol or anchor.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Key:
    """One entry of a legend."""

    label: str
    colour: str
    shape: Shape


@dataclass(frozen=True, kw_only=True, slots=True)
class Tick:
    """A place on an axis with its label."""

    value: float | str
    label: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Axis:
    """A horizontal or vertical axis."""

    scale: Scale
    domain: tuple[float | str, ...]
    """The lowest and the highest value, or all names in order."""

    ticks: tuple[Tick, ...]
    has_grid: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class ChartMark:
    """One layer of a chart."""

    kind: MarkKind
    rows: Rows
    options: Options


def mark(kind: MarkKind, rows: Rows, /, **options: str | float) -> ChartMark:
    """Return a mark with its options by name."""
    return ChartMark(kind=kind, rows=rows, options=options)


@dataclass(frozen=True, kw_only=True, slots=True)
class Chart:
    """A chart with its title and legend, which a page shows as text."""

    title: str
    description: str
    """What a screen reader says in place of the chart."""

    height_px: int
    """Height of the area between the axes."""

    x: Axis
    y: Axis
    marks: tuple[ChartMark, ...]
    """The lowest first."""

    table: Rows
    """What the chart shows, as a download."""

    legend: tuple[Key, ...] = ()
