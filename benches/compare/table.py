"""Rows of the table: a metric, its bar, and whether the metric reaches the bar."""

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


@dataclass(frozen=True, kw_only=True, slots=True)
class Bar:
    """The value that a metric must reach."""

    relation: Literal["≥", "≤"]
    value: float
    low: float | None = None
    """Where the interval may begin, for a metric that is expected to be the bar."""

    def is_reached(self, metric: float) -> bool:
        """Whether the metric reaches the bar."""
        return metric >= self.value if self.relation == "≥" else metric <= self.value


@dataclass(frozen=True, kw_only=True, slots=True)
class BenchRow:
    """One line of the table."""

    what: str
    metric: float
    bar: Bar
    unit: str = ""
    bounds: tuple[float, float] | None = None
    details: Sequence[str] = ()

    @property
    def shown(self) -> str:
        """The metric, its unit and its interval."""
        metric = number(self.metric)
        if self.bounds is not None:
            metric += " ({} to {})".format(*map(number, self.bounds))
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
        bar = self.bar
        low, high = self.bounds or (self.metric, self.metric)
        if bar.low is None:
            reaches = {bar.is_reached(low), bar.is_reached(high)}
        else:
            reaches = {bar.is_reached(self.metric) and low >= bar.low}
        if len(reaches) > 1:
            return "undecided"
        return "reached" if True in reaches else "not reached"


@dataclass(frozen=True, kw_only=True, slots=True)
class Skipped:
    """A row without a metric, and the reason."""

    what: str
    why: str


ENGINE = "engine"
"""Name of the engine in samples."""

Rows = Iterator[BenchRow | Skipped]


def number(value: float) -> str:
    """Format a metric with three significant digits, or without decimals."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def spread(samples: Sequence[float], form: str = ",.0f") -> str:
    """Format the median of samples with its interval."""
    found = median_interval(samples)
    return f"{found.median:{form}} ({found.low:{form}} to {found.high:{form}})"


def speed(name: str, each_ns: Sequence[float]) -> str:
    """Format samples of nanoseconds per message as messages per second."""
    return f"{name}: {spread([1e9 / sample for sample in each_ns])} messages/s"


def times(ratio: Ratio) -> str:
    """Format a ratio near 1 with its interval."""
    return f"{ratio.value:.3f} × ({ratio.low:.3f} to {ratio.high:.3f})"


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
    bounds = (ratio.low, ratio.high)
    return BenchRow(
        what=what, metric=ratio.value, bounds=bounds, unit="×", bar=bar, details=details
    )


def speed_row(
    what: str, samples: Mapping[str, Sequence[float]], theirs: str, bar: Bar
) -> BenchRow:
    """
    Return the row of the engine's speed as a ratio to that of ``theirs``.

    Samples are nanoseconds per message.
    """
    ratio = median_ratio(samples[theirs], samples[ENGINE])
    return ratio_row(what, ratio, bar, [speed(*each) for each in samples.items()])


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
    numbers = range(rounds or bench.rounds)
    with on_cpus(bench.host.server_cpus):
        for number in track(numbers, what, transient=True, console=bench.console):
            for name in list(contenders)[:: -1 if number % 2 else 1]:
                samples[name].append(contenders[name]())
    return samples


def print_row(row: BenchRow | Skipped, console: Console) -> None:
    """Print a row with its details."""
    lines = (
        [f"{row.what}: skipped, {row.why}"]
        if isinstance(row, Skipped)
        else [
            f"{row.what}: {row.shown}, bar {row.shown_bar}: {row.verdict}",
            *(f"  {detail}" for detail in row.details),
        ]
    )
    for line in lines:
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def print_table(rows: Sequence[BenchRow | Skipped], console: Console) -> None:
    """Print all rows as a table, without their details."""
    table = Table("what", "metric", "bar", "", box=None, pad_edge=False)
    for row in rows:
        if isinstance(row, Skipped):
            table.add_row(row.what, "", "", "skipped")
        else:
            table.add_row(row.what, row.shown, row.shown_bar, row.verdict)
    console.print(table)
