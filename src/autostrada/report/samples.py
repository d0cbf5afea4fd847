"""The samples of a run: one value per counted trial, for each cell and metric."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import mean

from autostrada.experiment.matrix import Cell
from autostrada.report.query import run_query
from autostrada.stats.interval import (
    Interval,
    lower_bound_interval,
    median_interval,
)
from autostrada.stats.metrics import METRICS, Combination
from autostrada.stats.quantile import Trials, quantile_interval
from autostrada.stats.ratio import (
    Ratio,
    interval_ratio,
    median_ratio,
    quantile_ratio,
)
from autostrada.store.metrics import (
    TrialMetric,
    derived_metrics,
    read_histograms,
)
from autostrada.store.reader import Row, StoreReader, as_record

COMBINED: Mapping[Combination, Callable[[Sequence[float]], float]] = {
    "sum": sum,
    "mean": mean,
    "max": max,
}
"""Functions that combine the values of several client processes."""


@dataclass(frozen=True, kw_only=True)
class Sampled:
    """One metric of one cell: a value per counted trial, in order of repetitions."""

    values: tuple[float, ...]
    rounds: tuple[int, ...] = ()
    """The repetition of each value; empty for a metric that has no rounds."""

    stolen_shares: tuple[float, ...] = ()
    """Largest share of a core that the hypervisor took, for each value."""

    machines: tuple[str, ...] = ()
    """The machine of each value, in words; empty for a metric that has no rounds."""

    lower_bounds: int = 0
    """Number of values, the last ones, that are only lower bounds of the metric."""

    quantile: float | None = None
    """The quantile of all trials pooled, in [0, 1]; ``None`` if it is no quantile."""

    trials: Trials = field(default=(), repr=False)
    """For a quantile, the histogram of durations of each trial, in nanoseconds."""

    @property
    def by_round(self) -> dict[int, float]:
        """The values by repetition; empty for a metric that has no rounds."""
        return dict(zip(self.rounds, self.values, strict=bool(self.rounds)))

    @property
    def stolen_by_round(self) -> dict[int, float]:
        """The stolen shares by repetition."""
        return dict(zip(self.rounds, self.stolen_shares, strict=False))

    @property
    def machine_by_round(self) -> dict[int, str]:
        """The machines by repetition; empty if they are not known."""
        return dict(zip(self.rounds, self.machines, strict=False))

    @cached_property
    def interval(self) -> Interval:
        """
        The median of the trials with its bounds.

        For a quantile it is the quantile of all trials pooled, in milliseconds.
        """
        if self.lower_bounds:
            measured = len(self.values) - self.lower_bounds
            return lower_bound_interval(self.values[:measured], self.values[measured:])
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
    """Return the ratio of two metrics with its bounds."""
    if numerator.quantile is not None and denominator.quantile is not None:
        return quantile_ratio(numerator.trials, denominator.trials, numerator.quantile)
    if not (numerator.lower_bounds or denominator.lower_bounds):
        return median_ratio(numerator.values, denominator.values)
    return interval_ratio(numerator.interval, denominator.interval)


Samples = Mapping[Cell, Mapping[str, Sampled]]
"""By cell and by name of the metric."""


def read_samples(reader: StoreReader, run_id: int) -> Samples:
    """Read the samples of all counted measurements of a run; skip unknown metrics."""
    machines = reader.machines(run_id)
    trials: dict[Cell, list[Row]] = defaultdict(list)
    for row in run_query(reader, "counted", run_id):
        trials[as_record(Cell, row)].append(row)
    histograms = read_histograms(reader, run_id)
    every = [TrialMetric(**row) for row in run_query(reader, "recorded", run_id)]
    every += derived_metrics(reader, run_id, histograms)
    processes: dict[tuple[int, str], dict[str, float]] = defaultdict(dict)
    for each in every:
        processes[each.trial_id, each.metric].setdefault(each.process, each.value)
    found: dict[Cell, dict[str, Sampled]] = {cell: {} for cell in trials}
    for cell, rows in trials.items():
        for name, metric in METRICS.items():
            having = [row for row in rows if (row["trial_id"], name) in processes]
            pooled = [(row["trial_id"], metric.histogram) for row in having]
            is_pooled = metric.quantile is not None and histograms.keys() >= {*pooled}
            if having:
                found[cell][name] = Sampled(
                    values=tuple(
                        combine(processes[row["trial_id"], name], metric.of_clients)
                        for row in having
                    ),
                    rounds=tuple(row["repetition"] for row in having),
                    stolen_shares=tuple(row["stolen_share"] or 0.0 for row in having),
                    machines=tuple(machines[row["part"]] for row in having),
                    quantile=metric.quantile if is_pooled else None,
                    trials=[histograms[key] for key in pooled] if is_pooled else (),
                )
    return found


def combine(of_process: Mapping[str, float], of_clients: Combination) -> float:
    """
    Return the value of a trial from the values of its processes.

    A value of the client or of the server as a whole is used as it is; otherwise the
    values of the client processes are combined.
    """
    for whole in ("client", "server"):
        if whole in of_process:
            return of_process[whole]
    return COMBINED[of_clients]([*of_process.values()])
