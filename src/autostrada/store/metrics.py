"""The metrics derived from a run's trials, as declared in ``stats/metrics.toml``."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from autostrada.stats.buckets import Value, mean_ns, quantile_ns
from autostrada.stats.metrics import METRICS, Metric
from autostrada.store.reader import StoreReader

Histogram = tuple[Value, ...]
Histograms = Mapping[tuple[int, str], Histogram]
"""By trial and name: the durations of all processes of the trial."""


@dataclass(frozen=True, slots=True)
class TrialMetric:
    """A metric of one process of a trial."""

    trial_id: int
    process: str
    metric: str
    value: float


def read_histograms(reader: StoreReader, run_id: int) -> Histograms:
    """Return the histograms of all trials of a run."""
    rows = reader.query(
        "SELECT trial_id, metric, value_ns, CAST(sum(count) AS BIGINT) AS count "
        "FROM bucket JOIN trial USING (trial_id) WHERE run_id = $run_id "
        "GROUP BY ALL ORDER BY ALL",
        run_id=run_id,
    )
    found = defaultdict(list)
    for row in rows:
        found[row["trial_id"], row["metric"]].append((row["value_ns"], row["count"]))
    return {key: tuple(values) for key, values in found.items()}


def derived_metrics(
    reader: StoreReader, run_id: int, histograms: Histograms
) -> Iterator[TrialMetric]:
    """Yield the derived metrics of a run: SQL expressions and histogram statistics."""
    for row in reader.query(computed_sql(), run_id=run_id):
        yield TrialMetric(**row)
    yield from histogram_metrics(histograms)


def histogram_metrics(histograms: Histograms) -> Iterator[TrialMetric]:
    """Yield the metrics that are declared as statistics of histograms."""
    for (trial_id, name), values in histograms.items():
        for metric in METRICS.values():
            if metric.histogram == name:
                milliseconds = statistic_ns(values, metric) / 1e6
                yield TrialMetric(trial_id, "client", metric.name, milliseconds)


def statistic_ns(values: Sequence[Value], metric: Metric) -> float:
    """Return the statistic of a histogram that a metric declares, in nanoseconds."""
    if metric.statistic == "mean":
        return mean_ns(values)
    return quantile_ns(values, 1.0 if metric.quantile is None else metric.quantile)


def computed_sql() -> str:
    """Return the statement that computes a run's metrics declared as expressions."""
    places = {
        "server": "process = 'server'",
        "client": "process = 'client'",
        "each_client": "is_each_client",
    }
    selects = [
        f"SELECT trial_id, process, '{metric.name}' AS metric, "
        f"CAST({expression} AS DOUBLE) AS value FROM process WHERE {where}"
        for metric in METRICS.values()
        for end, where in places.items()
        if (expression := getattr(metric, end))
    ]
    text = files("autostrada.store").joinpath("metrics.sql").read_text(encoding="utf-8")
    return text.replace("$expressions", "\nUNION ALL\n".join(selects))
