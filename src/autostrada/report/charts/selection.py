"""Selection of the charts of a run: rankings, published tables and sweeps."""

from collections import Counter
from collections.abc import Sequence

from autostrada.report.charts.chart import Chart
from autostrada.report.charts.conclusions import conclusions_chart
from autostrada.report.charts.curve import curve_chart
from autostrada.report.charts.curve_plots import published_plots, sweeps
from autostrada.report.charts.published import published_chart
from autostrada.report.charts.ranking import ranking_chart
from autostrada.report.charts.rate import rate_chart
from autostrada.report.conclusion import Conclusion
from autostrada.report.published import PairTable
from autostrada.report.ranking import Ranking
from autostrada.report.results import Results
from autostrada.report.time_series import TimeSeries
from autostrada.stats.metrics import METRICS

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
"""Metrics that are drawn for a sweep, if its trials have them."""


def all_charts(
    results: Results,
    ranked: Sequence[Ranking],
    published: Sequence[PairTable],
    series: Sequence[TimeSeries] = (),
    evaluated: Sequence[Conclusion] = (),
) -> dict[str, Chart]:
    """
    Return the charts by name, the most important first.

    ``published-2`` is the second published chart; ``ranking-json`` is the ranking of
    the workload ``json``, ``rate-json`` its rates over time; ``latency-2`` is the
    second chart of a metric of latency.
    """
    swept = sweeps(results)
    lines = published_plots(results)
    found: dict[str, Chart | None] = {"conclusions": conclusions_chart(evaluated)}
    drawn = filter(None, (curve_chart(plot, published) for plot in lines))
    found |= {f"published-{index}": chart for index, chart in enumerate(drawn, start=1)}
    found["published"] = published_chart(published)
    found |= {
        f"ranking-{ranking.point}": ranking_chart(ranking)
        for ranking in ranked
        if ranking.point == ranking.workload.name
    }
    found |= {
        f"rate-{ranking.point}": rate_chart(ranking, series) for ranking in ranked
    }
    count: Counter[str] = Counter()
    for plot in (sweep.plot(METRICS[name]) for name in SWEPT for sweep in swept):
        if chart := curve_chart(plot, published):
            group = plot.metric.group.name.lower()
            count[group] += 1
            found[f"{group}-{count[group]}"] = chart
    return {name: chart for name, chart in found.items() if chart}
