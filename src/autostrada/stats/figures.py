"""
Every figure, declared once in ``figures.toml``: what all that shows one needs of it.

It is part of the pure layer, below those that publish, store and show figures, so that
a published table can be checked before anything runs.
"""

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from importlib.resources import files
from typing import Literal

from pydantic import TypeAdapter

Unit = Literal["count", "per_s", "ms/1M", "ms", "s", "us", "bytes", "share", "ratio"]
Better = Literal["lower", "higher", "neither"]
Combination = Literal["sum", "mean", "max"]
TerminalTable = Literal["ranking", "cells", "search"]


class Group(StrEnum):
    """Figures that are shown in one table."""

    THROUGHPUT = "Throughput"
    LATENCY = "Latency"
    LOSSES = "Losses and regularity"
    CPU = "CPU"
    MEMORY = "Memory"
    QUEUES = "Queues and bandwidth"
    CONNECTIONS = "Connections"


SPEEDS = {Group.THROUGHPUT, Group.LATENCY, Group.CONNECTIONS}
"""Groups of figures that are better where nothing limits a contestant."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """
    One figure. Of a cell it is the median of its trials.

    A quantile is worked out once instead, from the buckets of all trials together.
    """

    name: str
    title: str
    unit: Unit
    better: Better
    group: Group
    kinds: str
    """Of which workloads it is."""

    meaning: str
    short: str = ""
    """Its title in the terminal, where that is another: at most ten characters."""

    terminal: tuple[TerminalTable, ...] = ("ranking", "cells", "search")
    """The tables of the terminal that show it; the page shows every figure."""

    server: str = ""
    """What computes it of the server's row of ``store/figures.sql``; else empty."""

    client: str = ""
    each_client: str = ""
    """The same of each client process, where there are several."""

    histogram: str = ""
    """The histogram in the store that it is a statistic of; else empty."""

    statistic: float | Literal["mean", "max", ""] = ""
    of_clients: Combination = "mean"
    """How the figures of several client processes combine."""

    @property
    def column(self) -> str:
        """What the terminal calls it."""
        return self.short or self.title

    @property
    def quantile(self) -> float | None:
        """Which quantile of a histogram it is; ``None`` where it is none."""
        return self.statistic if isinstance(self.statistic, float) else None

    @property
    def bound_sign(self) -> str:
        """What stands before a figure that may be better than it is shown."""
        if self.group not in SPEEDS:
            return ""
        return {"higher": "≥ ", "lower": "≤ ", "neither": ""}[self.better]


def _read() -> dict[str, Figure]:
    text = files("autostrada.stats").joinpath("figures.toml")
    declared = tomllib.loads(text.read_text(encoding="utf-8"))
    check = partial(TypeAdapter(Figure).validate_python, extra="forbid")
    return {
        name: check({"name": name, "group": group, **rest})
        for group, figures in declared.items()
        for name, rest in figures.items()
    }


FIGURES = _read()
"""By name, in the order in which they are shown."""


def describe_figures() -> str:
    """Return the generated part of ``docs/experiments.md``: a row for each figure."""
    lines = [
        "| figure | unit | better | of | meaning | of several trials |",
        "|---|---|---|---|---|---|",
    ]
    for each in FIGURES.values():
        trials = "median" if each.quantile is None else "quantile of all together"
        columns = (f"`{each.name}`", each.unit, each.better, each.kinds, each.meaning)
        lines.append(f"| {' | '.join(columns)} | {trials} |")
    return "\n".join(lines)
