"""How a contestant changed over the runs of one or more results files."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from math import log
from pathlib import Path

from rich.console import Console
from rich.table import Table

from autostrada.errors import UsageError
from autostrada.experiment.matrix import REFERENCE
from autostrada.report import number
from autostrada.report.metrics import written
from autostrada.report.ranking import ranked_by
from autostrada.report.results import Outcome, Results, read_results
from autostrada.report.table_layout import Column, filled, lay_out
from autostrada.report.text import print_paragraph, text
from autostrada.stats.change_points import VALUES_MIN, change_points
from autostrada.stats.metrics import METRICS, SPEEDS, Metric
from autostrada.store.reader import StoreReader


@dataclass(frozen=True, kw_only=True, slots=True)
class TrendPoint:
    """A contestant in one run."""

    at: datetime
    version: str
    """Version of its library."""

    value: float
    low: float
    high: float
    """Median and bounds of the metric; the median is positive."""

    engine: float | None
    """Median of the engine in the same run; ``None`` if it did not take part."""


@dataclass(frozen=True, kw_only=True)
class Trend:
    """A contestant in one workload, opposite one program, over all runs."""

    name: str
    metric: Metric
    points: tuple[TrendPoint, ...]
    """The oldest first."""

    @property
    def title(self) -> str:
        """The workload and the metric."""
        return f"{self.name}: {self.metric.title}"

    @property
    def is_relative(self) -> bool:
        """Whether changes are those of the ratio to the engine, in the same run."""
        return all(point.engine for point in self.points)

    @property
    def levels(self) -> list[float]:
        """The values, relative to those of the engine if all runs have it."""
        if not self.is_relative:
            return [point.value for point in self.points]
        return [point.value / (point.engine or 1.0) for point in self.points]

    @cached_property
    def changes(self) -> list[int]:
        """Indices of the points with which a new level begins."""
        return change_points([log(level) for level in self.levels])

    @property
    def conclusion(self) -> str:
        """What the points tell, in a sentence."""
        runs = number.count(len(self.points), "run")
        if len(self.points) < VALUES_MIN:
            return f"too few runs: {runs} of at least {VALUES_MIN}"
        if not self.changes:
            return f"no change in {runs}"
        edges = [0, *self.changes, len(self.points)]
        levels = self.levels
        means = [
            sum(levels[first:last]) / (last - first) for first, last in pairwise(edges)
        ]
        return "; ".join(
            f"{self._change(after / before)} from {self._named(at)} on"
            for (before, after), at in zip(pairwise(means), self.changes, strict=True)
        )

    def _change(self, ratio: float) -> str:
        share = number.percent(abs(ratio - 1), 1)
        if self.metric.group not in SPEEDS or self.metric.better == "neither":
            return f"{share} {'more' if ratio > 1 else 'less'}"
        is_faster = (ratio > 1) == (self.metric.better == "higher")
        return f"{share} {'faster' if is_faster else 'slower'}"

    def _named(self, at: int) -> str:
        point = self.points[at]
        return f"{point.version} ({point.at:%Y-%m-%d})"


def read_trends(paths: Sequence[Path], name: str) -> list[Trend]:
    """
    Return the trends of a contestant over all runs in results files.

    Raises:
        UsageError: a file cannot be read, or no run has measured the contestant.
    """
    runs: list[Results] = []
    for path in paths:
        with StoreReader.open(path) as reader:
            runs += (read_results(reader, each.run_id) for each in reader.runs())
    trends = trends_of(runs, name)
    if not trends:
        known = {cell.contestant for results in runs for cell in results.outcomes}
        others = ", ".join(sorted(known)) or "none"
        raise UsageError(f"no run has measured {name!r}: choose one of {others}")
    return trends


def trends_of(runs: Iterable[Results], name: str) -> list[Trend]:
    """Return the trends of a contestant over runs, in any order."""
    points: dict[tuple[str, str], list[TrendPoint]] = defaultdict(list)
    for results in runs:
        for key, point in _points(results, name):
            points[key].append(point)
    return [
        Trend(
            name=workload,
            metric=METRICS[metric],
            points=tuple(sorted(found, key=lambda point: point.at)),
        )
        for (workload, metric), found in points.items()
    ]


def print_trends(trends: Sequence[Trend], console: Console) -> None:
    """Print a table of each trend, and then what all tell."""
    for trend in trends:
        for table in _tables(trend):
            console.print(table)
        console.print()
    for trend in trends:
        print_paragraph(console, f"{trend.title}: {trend.conclusion}", "bold")


def _tables(trend: Trend) -> list[Table]:
    columns = [
        Column(title=trend.name, justify="left", identifies=True),
        Column(title="version", justify="left", wraps=True),
        Column(title=trend.metric.title, wraps=True),
        Column(title="interval"),
        Column(title="to engine"),
        Column(title="", justify="left"),
    ]
    rows = [
        (
            f"{point.at:%Y-%m-%d %H:%M}",
            point.version,
            written(trend.metric, point.value),
            f"{written(trend.metric, point.low)} to "
            f"{written(trend.metric, point.high)}",
            number.times(point.value / point.engine) if point.engine else "",
            "changed" if index in trend.changes else "",
        )
        for index, point in enumerate(trend.points)
    ]
    texts = ([text(cell) for cell in row] for row in rows)
    return lay_out(filled(columns, texts), width=80, repeated=1)


def _points(
    results: Results, name: str
) -> Iterator[tuple[tuple[str, str], TrendPoint]]:
    """Yield the points of a run, by workload with the other end, and metric."""
    versions = {each.contestant: each.version for each in results.versions}
    engines = {
        cell.workload: outcome
        for cell, outcome in results.outcomes.items()
        if cell.server == cell.client == REFERENCE
    }
    for cell, outcome in results.outcomes.items():
        if name not in {cell.server, cell.client}:
            continue
        other = cell.client if cell.server == name else cell.server
        end = "server" if cell.server == name else "client"
        engine = engines.get(cell.workload)
        metric = ranked_by(results.points[cell.workload], [outcome])
        sampled = outcome.metrics.get(metric.name)
        if sampled is None or sampled.interval.median <= 0:
            continue
        beside = "" if other == REFERENCE else f" with {other}"
        key = f"{results.run.experiment} {cell.workload}, {end}{beside}", metric.name
        interval = sampled.interval
        yield (
            key,
            TrendPoint(
                at=results.run.started_at,
                version=versions.get(name) or "",
                value=interval.median,
                low=interval.low,
                high=interval.high,
                engine=_median(engine, metric) if engine else None,
            ),
        )


def _median(outcome: Outcome, metric: Metric) -> float | None:
    sampled = outcome.metrics.get(metric.name)
    return sampled.interval.median if sampled else None
