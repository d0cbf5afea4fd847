"""Rows of the table: a metric, its bar, and whether the metric reaches the bar."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from rich.console import Console
from rich.progress import track
from rich.table import Table

from autostrada.machine.process import on_cpus
from autostrada.stats.interval import median_interval
from autostrada.stats.ratio import Ratio, median_ratio

from .bench import BenchSetup

Name = TypeVar("Name")
Sample = TypeVar("Sample")

Samples = Mapping[str, Sequence[float]]
"""Nanoseconds per message, by contender."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bar:
    """The value that a metric must reach."""

    relation: Literal["≥", "≤", "=", "<"]
    value: float
    low: float | None = None
    """Where the interval may begin, for a metric that is expected to be the bar."""

    def is_reached(self, metric: float) -> bool:
        """Whether the metric reaches the bar."""
        match self.relation:
            case "≥":
                return metric >= self.value
            case "≤":
                return metric <= self.value
            case "<":
                return metric < self.value
            case "=":
                return metric == self.value


@dataclass(frozen=True, kw_only=True, slots=True)
class BenchRow:
    """One line of the table."""

    what: str
    metric: float
    bar: Bar
    unit: str = ""
    bounds: tuple[float, float] | None = None
    details: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """The metric, its unit and its interval."""
        if self.bounds is None:
            return f"{number(self.metric)} {self.unit}".strip()
        low, high = self.bounds
        metric = f"{number(self.metric)} ({number(low)} to {number(high)})"
        return f"{metric} {self.unit}".strip()

    @property
    def shown_bar(self) -> str:
        """The bar with its relation and unit."""
        return f"{self.bar.relation} {number(self.bar.value)} {self.unit}".strip()

    @property
    def verdict(self) -> str:
        """
        Whether the metric reaches its bar.

        It is undecided if only one of two bounds does, and that counts as not reached.
        """
        low, high = self.bounds or (self.metric, self.metric)
        bar = self.bar
        if bar.low is not None:
            is_reached = bar.is_reached(self.metric) and low >= bar.low
            return "reached" if is_reached else "not reached"
        if bar.relation in {"≥", "≤"}:
            reaches = {bar.is_reached(each) for each in (low, high)}
            if len(reaches) > 1:
                return "undecided"
        return "reached" if bar.is_reached(self.metric) else "not reached"


@dataclass(frozen=True, kw_only=True, slots=True)
class Skipped:
    """A row without a metric, and the reason."""

    what: str
    why: str


ENGINE = "engine"
"""Name of the engine in samples."""

Rows = Iterator[BenchRow | Skipped]


def number(value: float) -> str:
    """Format a metric with at least three significant digits; infinity is "never"."""
    if not math.isfinite(value):
        return "never"
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.2g}"


def paired_ratio(numerator: Sequence[float], denominator: Sequence[float]) -> Ratio:
    """
    Return the median of the ratios within rounds, and its interval.

    What changes the speed of the whole machine from round to round cancels.
    """
    pairs = zip(numerator, denominator, strict=True)
    ratio = median_interval([above / below for above, below in pairs])
    return Ratio(
        value=ratio.median,
        low=ratio.low,
        high=ratio.high,
        confidence=ratio.confidence,
    )


def ratio_row(what: str, ratio: Ratio, bar: Bar, details: Sequence[str]) -> BenchRow:
    """Return the row of a ratio."""
    return BenchRow(
        what=what,
        metric=ratio.value,
        bounds=(ratio.low, ratio.high),
        unit="×",
        bar=bar,
        details=tuple(details),
    )


def times(ratio: Ratio) -> str:
    """Format a ratio near 1 with its interval."""
    return f"{ratio.value:.3f} × ({ratio.low:.3f} to {ratio.high:.3f})"


def speed_row(
    what: str,
    samples: Samples,
    theirs: str,
    bar: Bar,
    further_details: Sequence[str] = (),
) -> BenchRow:
    """Return the row of the engine's speed as a ratio to that of ``theirs``."""
    ratio = median_ratio(samples[theirs], samples[ENGINE])
    details = [speed(name, samples[name]) for name in (ENGINE, theirs)]
    return ratio_row(what, ratio, bar, [*details, *further_details])


def speed(name: str, each_ns: Sequence[float]) -> str:
    """Format samples of nanoseconds per message as messages per second."""
    rate = median_interval([1e9 / sample for sample in each_ns])
    return (
        f"{name}: {rate.median:,.0f} messages/s ({rate.low:,.0f} to {rate.high:,.0f})"
    )


def alternate(
    what: str,
    bench: BenchSetup,
    contenders: Mapping[Name, Callable[[], Sample]],
    *,
    rounds: int | None = None,
) -> dict[Name, list[Sample]]:
    """
    Measure all contenders once in each round, in reverse order in every second one.

    This process stays on the server's core, so that clients have their own.
    """
    samples: dict[Name, list[Sample]] = {name: [] for name in contenders}
    numbers = range(rounds or bench.sizes.rounds)
    with on_cpus(bench.host.server_cpus):
        for number in track(numbers, what, transient=True, console=bench.console):
            for name in list(contenders)[:: -1 if number % 2 else 1]:
                samples[name].append(contenders[name]())
    return samples


def print_row(row: BenchRow | Skipped, console: Console) -> None:
    """Print a row with its details."""
    if isinstance(row, Skipped):
        console.print(
            f"{row.what}: skipped, {row.why}",
            highlight=False,
            markup=False,
            soft_wrap=True,
        )
        return
    line = f"{row.what}: {row.shown}, bar {row.shown_bar}: {row.verdict}"
    console.print(line, highlight=False, markup=False, soft_wrap=True)
    for detail in row.details:
        console.print(f"  {detail}", highlight=False, markup=False, soft_wrap=True)


def print_table(rows: Sequence[BenchRow | Skipped], console: Console) -> None:
    """Print all rows as a table, without their details."""
    table = Table("what", "metric", "bar", "", box=None, pad_edge=False)
    for row in rows:
        if isinstance(row, Skipped):
            table.add_row(row.what, "", "", "skipped")
        else:
            table.add_row(row.what, row.shown, row.shown_bar, row.verdict)
    console.print(table)
