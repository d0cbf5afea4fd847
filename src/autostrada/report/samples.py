"""The samples of a run: of each cell and figure, what each counted trial says."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from statistics import mean
from typing import Any

from autostrada.experiment.matrix import Cell
from autostrada.report import number
from autostrada.report.query import ask
from autostrada.stats.figures import FIGURES, Combination
from autostrada.stats.interval import Interval, median_interval
from autostrada.stats.quantile import Trials, quantile_interval
from autostrada.stats.ratio import Ratio, median_ratio, quantile_ratio
from autostrada.store.figures import (
    TrialFigure,
    derived_figures,
    read_histograms,
)
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
    """Why nothing is certain of it, where the interval has no confidence."""

    quantile: float | None = None
    """Which quantile it is of all trials together; ``None`` where it is none."""

    trials: Trials = field(default=(), repr=False)
    """Of a quantile the durations of each trial."""

    @cached_property
    def interval(self) -> Interval:
        """The median, or the quantile of all trials, and the bounds around it."""
        if self.known:
            return self.known
        if self.quantile is None:
            return median_interval(self.values)
        found = quantile_interval(self.trials, self.quantile)
        return Interval(
            median=found.median / 1e6,
            low=found.low / 1e6,
            high=found.high / 1e6,
            confidence=found.confidence,
        )


def ratio_of(numerator: Sampled, denominator: Sampled) -> Ratio:
    """Return how many times one figure is the other."""
    if numerator.quantile is not None and denominator.quantile is not None:
        return quantile_ratio(numerator.trials, denominator.trials, numerator.quantile)
    if numerator.known is None and denominator.known is None:
        return median_ratio(numerator.values, denominator.values)
    above, below = numerator.interval, denominator.interval
    return Ratio(
        value=_divided(above.median, below.median),
        low=_divided(above.low, below.high),
        high=_divided(above.high, below.low),
        confidence=min(above.confidence, below.confidence),
    )


def _divided(above: float, below: float) -> float:
    if below:
        return above / below
    return inf if above else 1.0


Samples = Mapping[Cell, Mapping[str, Sampled]]
"""By cell as it was tried, and by the figure's name."""


def read_samples(reader: StoreReader, run_id: int) -> Samples:
    """Read what the counted measurements of a run say; unknown figures are left out."""

    def query(sql: str) -> list[tuple[Any, ...]]:
        return [tuple(row.values()) for row in reader.query(sql)]

    cells = {
        row["trial_id"]: Cell(
            server=row["server"], client=row["client"], workload=row["workload"]
        )
        for row in ask(reader, "counted", run_id)
    }
    histograms = read_histograms(query, run_id)
    every = [TrialFigure(**row) for row in ask(reader, "recorded", run_id)]
    every += derived_figures(query, run_id, histograms)
    processes: dict[tuple[int, str], dict[str, float]] = defaultdict(dict)
    for each in every:
        processes[each.trial_id, each.figure].setdefault(each.process, each.value)
    found: dict[Cell, dict[str, Sampled]] = {cell: {} for cell in cells.values()}
    trials: dict[Cell, list[int]] = defaultdict(list)
    for trial_id, cell in cells.items():
        trials[cell].append(trial_id)
    for cell, numbers in trials.items():
        for name, figure in FIGURES.items():
            having = [each for each in numbers if (each, name) in processes]
            pooled = [(each, figure.histogram) for each in having]
            is_pooled = figure.quantile is not None and histograms.keys() >= {*pooled}
            if having:
                found[cell][name] = Sampled(
                    values=tuple(
                        combined(processes[each, name], figure.of_clients)
                        for each in having
                    ),
                    quantile=figure.quantile if is_pooled else None,
                    trials=[histograms[key] for key in pooled] if is_pooled else (),
                )
    return found


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
