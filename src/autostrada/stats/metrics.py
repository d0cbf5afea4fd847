"""
The registry of all metrics, which are declared in ``metrics.toml``.

It belongs to the pure layer below publications, store and reports, so that a published
table can be checked before a run.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from importlib.resources import files
from typing import Literal

from pydantic import TypeAdapter

Unit = Literal["count", "per_s", "ms", "s", "us", "ns", "bytes", "share", "ratio"]
Better = Literal["lower", "higher", "neither"]
Combination = Literal["sum", "mean", "max"]
TerminalTable = Literal["ranking", "cells"]


class Group(StrEnum):
    """Groups of metrics; each group has its own table."""

    THROUGHPUT = "Throughput"
    LATENCY = "Latency"
    LOSSES = "Losses and regularity"
    CPU = "CPU"
    MEMORY = "Memory"
    QUEUES = "Queues and bandwidth"
    CONNECTIONS = "Connections"


SPEEDS = {Group.THROUGHPUT, Group.LATENCY, Group.CONNECTIONS}
"""Groups of metrics that measure speed and become bounds if the engine is the limit."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PageColumn:
    """A metric's column in the rankings of a page."""

    title: str
    below: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Names of the metrics that are shown below it, each with its label there."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Metric:
    """
    The declaration of a metric.

    The metric of a cell is the median of its trials, except for quantiles: these are
    computed from the pooled buckets of all trials.
    """

    name: str
    title: str
    unit: Unit
    better: Better
    group: Group
    kinds: str
    """The workloads that have the metric, in words for the documentation."""

    meaning: str
    short: str = ""
    """Title in the terminal, at most ten characters; ``""`` for ``title``."""

    terminal: tuple[TerminalTable, ...] = ("ranking", "cells")
    """Terminal tables that show the metric; the page shows every metric."""

    page_ranking: PageColumn | None = None
    """Its column in the rankings of a page; ``None`` if it has none."""

    server: str = ""
    """SQL expression over the server's row of ``store/metrics.sql``, or ``""``."""

    client: str = ""
    """SQL expression over the row of the client as a whole, or ``""``."""

    each_client: str = ""
    """SQL expression over the row of each client process, or ``""``."""

    histogram: str = ""
    """Name of the stored histogram that ``statistic`` applies to, or ``""``."""

    statistic: float | Literal["mean", "max", ""] = ""
    """Mean, maximum or a quantile in [0, 1]; ``""`` without a histogram."""

    at_least: str = ""
    """Name of the metric below which a late engine's one is not; ``""`` for none."""

    of_clients: Combination = "mean"
    """How the values of several client processes are combined."""

    @property
    def column(self) -> str:
        """Title in the terminal."""
        return self.short or self.title

    @property
    def quantile(self) -> float | None:
        """The quantile in [0, 1]; ``None`` if the metric is no quantile."""
        return self.statistic if isinstance(self.statistic, float) else None

    def best(self, values: Sequence[float]) -> float:
        """Return the best of some values; the lowest if none is better."""
        return max(values) if self.better == "higher" else min(values)

    @property
    def bound_sign(self) -> str:
        """Sign before a bound: the true metric may be better; ``""`` if not a speed."""
        if self.group not in SPEEDS:
            return ""
        return {"higher": "≥ ", "lower": "≤ ", "neither": ""}[self.better]


def _read() -> dict[str, Metric]:
    text = files("autostrada.stats").joinpath("metrics.toml")
    declared = tomllib.loads(text.read_text(encoding="utf-8"))
    check = partial(TypeAdapter(Metric).validate_python, extra="forbid")
    return {
        name: check({"name": name, "group": group, **rest})
        for group, metrics in declared.items()
        for name, rest in metrics.items()
    }


METRICS = _read()
"""All metrics by name, in display order."""


PER_CPU = "messages_per_cpu_s"
"""Name of the metric by which contestants in slices are ranked."""


def describe_metrics() -> str:
    """Return the generated part of ``docs/experiments.md``: a row for each metric."""
    lines = [
        "| metric | unit | better | workloads | meaning | several trials |",
        "|---|---|---|---|---|---|",
    ]
    for metric in METRICS.values():
        trials = "median" if metric.quantile is None else "quantile of all pooled"
        columns = (
            f"`{metric.name}`",
            metric.unit,
            metric.better,
            metric.kinds,
            metric.meaning,
        )
        lines.append(f"| {' | '.join(columns)} | {trials} |")
    return "\n".join(lines)
