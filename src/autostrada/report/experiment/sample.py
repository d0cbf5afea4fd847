"""The samples of a run: of each cell and figure, what each counted trial says."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from statistics import mean

from autostrada.experiment.matrix import Cell
from autostrada.report import number
from autostrada.report.experiment.figure import FIGURES, Combination
from autostrada.report.query import ask
from autostrada.stats.interval import Interval, median_interval
from autostrada.stats.ratio import Ratio, median_ratio
from autostrada.store.reader import StoreReader

COMBINED: Mapping[Combination, Callable[[Sequence[float]], float]] = {
    "sum": sum,
    "mean": mean,
    "max": max,
}


@dataclass(frozen=True, kw_only=True)
class Sampled:
    """One figure of one cell: a value a counted trial, in the order of repetitions."""

    values: tuple[float, ...]
    known: Interval | None = None
    """Of what was searched for, which has no samples: between which values it lies."""

    doubt: str = "one repetition has no interval"
    """Why nothing is sure of it, where the interval has no confidence."""

    @cached_property
    def interval(self) -> Interval:
        """The median, and the bounds around it."""
        return self.known or median_interval(self.values)


def ratio_of(numerator: Sampled, denominator: Sampled) -> Ratio | None:
    """Return how many times one figure is the other; ``None`` where one may be 0."""
    if min(*numerator.values, *denominator.values) <= 0:
        return None
    if numerator.known is None and denominator.known is None:
        return median_ratio(numerator.values, denominator.values)
    above, below = numerator.interval, denominator.interval
    return Ratio(
        value=above.median / below.median,
        low=above.low / below.high,
        high=above.high / below.low,
        confidence=min(above.confidence, below.confidence),
    )


Samples = Mapping[Cell, Mapping[str, Sampled]]
"""By cell as it was tried, and by the figure's name."""


def read_samples(reader: StoreReader, run_id: int) -> Samples:
    """Read what the counted measurements of a run say; unknown figures are left out."""
    found: dict[Cell, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in ask(reader, "figures", run_id):
        figure = FIGURES.get(row["figure"])
        if figure is None:
            continue
        cell = Cell(
            server=row["server"], client=row["client"], workload=row["workload"]
        )
        of_process = dict(zip(row["processes"], row["samples"], strict=True))
        found[cell][figure.name].append(combined(of_process, figure.of_clients))
    return {
        cell: {name: Sampled(values=tuple(values)) for name, values in figures.items()}
        for cell, figures in found.items()
    }


def ratio_bounds(low: float, high: float, *, like: float) -> str:
    """Write the bounds of a ratio; one that has no upper bound says so."""
    if high == inf:
        return f"≥{number.THIN_SPACE}{number.plain(low)}"
    return number.between(low, high, like=like)


def combined(of_process: Mapping[str, float], of_clients: Combination) -> float:
    """
    Return what the processes of a trial say together.

    What is said of one end as a whole stands for all; else clients are combined.
    """
    for whole in ("client", "server"):
        if whole in of_process:
            return of_process[whole]
    return COMBINED[of_clients]([*of_process.values()])
