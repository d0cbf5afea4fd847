"""The single trials of a cell, which the application reads from the run's Parquet."""

from collections.abc import Iterator

from autostrada.experiment.matrix import REFERENCE
from autostrada.report.metrics import column_format
from autostrada.report.pages.blocks import Trials
from autostrada.report.ranking import RATES, Standing
from autostrada.stats.metrics import METRICS, PER_CPU

MAIN = (
    PER_CPU,
    *RATES,
    "latency_ms_p99",
    "response_ms_p99",
    *(name for name, metric in METRICS.items() if metric.page_ranking),
)
"""Metrics of a trial that are shown if a cell has them, beside the ranked one."""


def trials_block(standing: Standing, data: str) -> Trials:
    """Return where the trials of a cell are; ``data`` is the URL of the run's file."""
    cell = standing.outcome.cell
    return Trials(
        data=data,
        server=cell.server,
        client=cell.client,
        workload=cell.workload,
        columns=tuple(_columns(standing)),
    )


def _columns(standing: Standing) -> Iterator[tuple[str, str, float, int]]:
    """Yield the columns in the units of the cell's medians; none is of the engine."""
    cell, found = standing.outcome.cell, standing.outcome.metrics
    names = (standing.metric.name, *MAIN)
    ends = {"server": cell.server, "client": cell.client}
    for name in dict.fromkeys(name for name in names if name in found):
        metric = METRICS[name]
        if ends.get(name.split("_")[0]) == REFERENCE:
            continue
        factor, unit, places = column_format(metric, found[name].interval.median)
        column = metric.page_ranking or metric
        title = f"{column.title}, {unit}" if unit else column.title
        yield name, title, 1 / factor, places
