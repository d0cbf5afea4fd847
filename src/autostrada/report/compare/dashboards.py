"""A change report in the formats of dashboards that keep a value of each commit."""

from collections.abc import Iterator
from math import isfinite
from typing import Any

from autostrada.report.compare.change_report import ChangeReport
from autostrada.report.compare.compared_metric import ComparedMetric
from autostrada.report.text import without_thin_spaces
from autostrada.stats.interval import Interval


def bencher(report: ChangeReport) -> dict[str, dict[str, dict[str, float]]]:
    """
    Return the metrics of B as Bencher reads them.

    Source: https://bencher.dev/docs/reference/bencher-metric-format.
    """
    found: dict[str, dict[str, dict[str, float]]] = {}
    for row, interval in _measured(report):
        bounds = {"lower_value": interval.low, "upper_value": interval.high}
        found.setdefault(row.cell or "load", {})[row.metric.name] = {
            "value": interval.median,
            **{key: bound for key, bound in bounds.items() if isfinite(bound)},
        }
    return found


def github_action_benchmark(report: ChangeReport) -> list[dict[str, Any]]:
    """
    Return the metrics of B of which less is better, for github-action-benchmark.

    It reads them with ``tool: customSmallerIsBetter``.
    """
    return [
        {
            "name": ": ".join(filter(None, (row.cell, row.metric.title))),
            "unit": row.metric.unit,
            "value": interval.median,
            "range": without_thin_spaces(
                f"{row.write(row.metric, interval.low)} to "
                f"{row.write(row.metric, interval.high)}"
            ),
            "extra": f"{row.verdict_text}, {row.texts.get('B/A', 'not compared')}",
        }
        for row, interval in _measured(report)
        if row.metric.better == "lower"
    ]


def _measured(report: ChangeReport) -> Iterator[tuple[ComparedMetric, Interval]]:
    """Yield the rows of which B has a finite median, each with it."""
    for row in report.rows:
        if row.after and isfinite(row.after.interval.median):
            yield row, row.after.interval
