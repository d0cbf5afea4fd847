"""Which charts an experiment has: those of what it swept, and of long trials."""

from collections import Counter
from collections.abc import Sequence

from autostrada.report.charts.theme import Drawing
from autostrada.report.experiment.charts.course import course_charts
from autostrada.report.experiment.charts.curve import curve_chart
from autostrada.report.experiment.charts.sweep import Sweep, sweeps
from autostrada.report.experiment.figure import FIGURES
from autostrada.report.experiment.results import Results
from autostrada.store.reader import Row

SWEPT = (
    "achieved_per_s",
    "received_per_s",
    "received_per_client_per_s",
    "response_ms_mean",
    "latency_ms_mean",
    "dropped_share",
    "on_time_share",
    "cpu_idle_share",
    "server_memory_bytes_max",
    "wire_bytes_per_s",
)
"""The figures of a sweep that are drawn, where its trials have them."""

SEARCHED = ("achieved_share", "response_ms_p99", "on_time_share")
"""Of cells that a search has tried: what it looks at."""


def experiment_charts(results: Results, looks: Sequence[Row]) -> dict[str, Drawing]:
    """
    Return the charts by name: ``latency-2`` is the second of the group of latencies.

    Those of ``looks``, which are of long trials over time, are called ``course-1``, ….
    """
    drawn = {}
    count: Counter[str] = Counter()
    found = sweeps(results)
    for name in dict.fromkeys((*SWEPT, *SEARCHED)):
        for sweep in found:
            if name in _figures(sweep):
                chart = curve_chart(sweep, FIGURES[name], results)
                if chart:
                    group = FIGURES[name].group.name.lower()
                    count[group] += 1
                    drawn[f"{group}-{count[group]}"] = chart
    for place, chart in enumerate(course_charts(looks), start=1):
        drawn[f"course-{place}"] = chart
    return drawn


def _figures(sweep: Sweep) -> Sequence[str]:
    return SEARCHED if sweep.is_searched else SWEPT
