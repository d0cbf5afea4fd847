"""The figures derived from a run's trials, as declared in ``stats/figures.toml``."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from autostrada.stats.durations import Value, mean_ns, quantile_ns
from autostrada.stats.figures import FIGURES, Figure

Query = Callable[[str], Sequence[tuple[Any, ...]]]
"""Function that runs an SQL statement and returns its rows."""

Histogram = tuple[Value, ...]
Histograms = Mapping[tuple[int, str], Histogram]
"""By trial and name: the durations of all processes of the trial."""


@dataclass(frozen=True, slots=True)
class TrialFigure:
    """A figure of one process of a trial."""

    trial_id: int
    process: str
    figure: str
    value: float


def read_histograms(query: Query, run_id: int) -> Histograms:
    """Return the histograms of all trials of a run."""
    rows = query(
        "SELECT trial_id, figure, value_ns, CAST(sum(count) AS BIGINT) "
        f"FROM bucket JOIN trial USING (trial_id) WHERE run_id = {run_id:d} "
        "GROUP BY ALL ORDER BY ALL"
    )
    found = defaultdict(list)
    for trial_id, name, value_ns, count in rows:
        found[trial_id, name].append((value_ns, count))
    return {key: tuple(values) for key, values in found.items()}


def derived_figures(
    query: Query, run_id: int, histograms: Histograms
) -> Iterator[TrialFigure]:
    """Yield the derived figures of a run: SQL expressions and histogram statistics."""
    yield from computed_figures(query, run_id)
    yield from histogram_figures(histograms)


def computed_figures(query: Query, run_id: int) -> Iterator[TrialFigure]:
    """Yield the figures of a run that are declared as SQL expressions."""
    for row in query(_computed_sql(run_id)):
        yield TrialFigure(*row)


def histogram_figures(histograms: Histograms) -> Iterator[TrialFigure]:
    """Yield the figures that are declared as statistics of histograms."""
    for (trial_id, name), values in histograms.items():
        for figure in FIGURES.values():
            if figure.histogram == name:
                milliseconds = statistic_ns(values, figure) / 1e6
                yield TrialFigure(trial_id, "client", figure.name, milliseconds)


def statistic_ns(values: Sequence[Value], figure: Figure) -> float:
    """Return the statistic of a histogram that a figure declares, in nanoseconds."""
    if figure.statistic == "mean":
        return mean_ns(values)
    return quantile_ns(values, 1.0 if figure.quantile is None else figure.quantile)


def _computed_sql(run_id: int) -> str:
    """Return the statement that computes all figures declared as expressions."""
    places = {
        "server": "process = 'server'",
        "client": "process = 'client'",
        "each_client": "is_each_client",
    }
    selects = [
        f"SELECT trial_id, process, '{figure.name}' AS figure, "
        f"CAST({expression} AS DOUBLE) AS value FROM process WHERE {where}"
        for figure in FIGURES.values()
        for end, where in places.items()
        if (expression := getattr(figure, end))
    ]
    text = files("autostrada.store").joinpath("figures.sql").read_text(encoding="utf-8")
    text = text.replace("$run_id", f"{run_id:d}")
    return text.replace("$expressions", "\nUNION ALL\n".join(selects))
