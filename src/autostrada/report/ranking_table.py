"""The table of a ranking for a terminal: one line for each contestant."""

import re
from collections.abc import Iterator, Sequence
from math import ceil

from rich.text import Text

from autostrada.experiment.matrix import REFERENCE
from autostrada.report import metrics, number
from autostrada.report.cold import COLD
from autostrada.report.library import libraries_of
from autostrada.report.published import bottleneck_word
from autostrada.report.ranking import Ranking, Standing
from autostrada.report.ranking_text import to_best
from autostrada.report.results import Results
from autostrada.report.table_layout import Column
from autostrada.report.text import text
from autostrada.stats.interval import Interval
from autostrada.stats.metrics import METRICS, Group, Metric
from autostrada.stats.verdict import Bottleneck

BOTTLENECK_STYLES = {
    Bottleneck.CLIENT_CPU: "green",
    Bottleneck.RECEIVE_WINDOW: "green",
    Bottleneck.LOAD_GENERATOR: "red",
}
OTHER_STYLE = "yellow"

MIB = 2**20

SIDES = ("server", "client")

CPU = "CPU"
MEMORY = "memory"
GROUP_TITLES = {Group.CPU: CPU, Group.MEMORY: MEMORY}
"""Titles of columns with a metric of the only contestant of each cell."""


def ranking_title(ranking: Ranking) -> str:
    """Describe the workload of a ranking, and by which metric it is ranked."""
    by = f"{ranking.point}: {ranking.metric.title}"
    conditions = ranking.workload.conditions
    return f"{by}; {conditions}" if conditions else by


def ranking_columns(
    ranking: Ranking, standings: Sequence[Standing], results: Results
) -> list[Column]:
    """Return a table with a line for each measured standing, in the given order."""
    shown = [
        standing
        for standing in standings
        if (standing.sampled or standing.is_unsteady) and standing.outcome.verdict
    ]
    columns = [
        Column(
            title="",
            identifies=True,
            cells=[text(str(standing.rank or "")) for standing in shown],
        ),
        *_name_columns(shown, results),
        _column(ranking.metric.column, [_metric_text(standing) for standing in shown]),
        _intervals(
            [
                standing.sampled.interval if standing.sampled else None
                for standing in shown
            ]
        ),
        _column("ratio", [to_best(standing, ranking) for standing in shown]),
    ]
    if ranking.is_by_steady_rate:
        columns.append(_column(*cold_cells(shown)))
    columns += _metric_columns(ranking, shown)
    limits = Column(title="limited by", justify="left", wraps=True)
    limits.cells = [_bottleneck(standing) for standing in shown]
    return [*columns, limits]


def _column(title: str, cells: Sequence[str]) -> Column:
    return Column(title=title, cells=[text(cell) for cell in cells])


def _metric_text(standing: Standing) -> str:
    """Return the ranked metric, or on two lines why there is none."""
    is_known = standing.sampled is not None
    return standing.text if is_known else "\n".join(standing.text.rsplit(" ", 1))


def _intervals(intervals: Sequence[Interval | None]) -> Column:
    """Return the column of intervals, whose title is their lowest confidence."""
    known = {
        interval.confidence
        for interval in intervals
        if interval and interval.confidence
    }
    lowest = number.confidence(min(known, default=0))
    sign = "≥" if len(known) > 1 else ""
    return _column(
        f"{sign}{lowest}\nCI", [_distance(interval) for interval in intervals]
    )


def _distance(interval: Interval | None) -> str:
    """Write the larger distance of a bound from the median, rounded up: ``±1.3%``."""
    if interval is None or not (interval.confidence and interval.median):
        return ""
    distance = max(interval.high - interval.median, interval.median - interval.low)
    percent = 100 * distance / interval.median
    places = 1 if percent < 10 else 0
    return f"±{ceil(percent * 10**places) / 10**places:.{places}f}%"


def cold_cells(standings: Sequence[Standing]) -> tuple[str, list[str]]:
    """
    Return the title of the column of cold times, and its cell for each standing.

    The title names the number of messages if it is the same in all cells.
    """
    cells = [standing.cold_text for standing in standings]
    labels = {cell.rpartition("/")[2] for cell in cells if cell}
    if len(labels) != 1:
        return "cold", cells
    return f"cold,\n{labels.pop()}", [cell.partition("/")[0] for cell in cells]


def _name_columns(shown: Sequence[Standing], results: Results) -> Iterator[Column]:
    """Yield a column with names and versions, or two if both ends are contestants."""
    if any(" → " in standing.name for standing in shown):
        for index, title in enumerate(SIDES):
            names = [text(standing.name.split(" → ")[index]) for standing in shown]
            yield _names(title, names)
        return
    versions = {
        version.contestant: version.version or "" for version in results.versions
    }
    names = []
    for standing in shown:
        known = libraries_of(standing.outcome.cell, results.versions)
        marks = "".join(library.mark for library in known)
        names.append(
            text(f"{standing.name}{marks} {_version(standing, versions)}".strip())
        )
    yield _names("library, version", names)


def _names(title: str, cells: list[Text]) -> Column:
    return Column(title=title, justify="left", wraps=True, identifies=True, cells=cells)


def _version(standing: Standing, versions: dict[str, str]) -> str:
    known = versions.get(standing.name) or versions.get(
        standing.outcome.cell.contestant
    )
    return (known or "").partition(" (")[0]


def _metric_columns(ranking: Ranking, shown: Sequence[Standing]) -> Iterator[Column]:
    """
    Yield a column for each further metric; only contestants' ends have columns.

    If both ends are contestants, there is no room for their memory.
    """
    cells = [standing.outcome.cell for standing in shown]
    ends = [
        end for end in SIDES if any(getattr(cell, end) != REFERENCE for cell in cells)
    ]
    known = {name for standing in shown for name in standing.outcome.metrics}
    for metric in METRICS.values():
        found = re.match(r"(?:steady_)?(server|client)_", metric.name)
        is_shown = (
            "ranking" in metric.terminal
            and metric.name in known
            and f"steady_{metric.name}" not in known
            and metric not in {ranking.metric, *COLD.values()}
            and (found is None or found[1] in ends)
        )
        has_room = metric.group is not Group.MEMORY or len(ends) < len(SIDES)
        if is_shown and has_room:
            is_only = found is not None and len(ends) == 1
            title = GROUP_TITLES.get(metric.group) if is_only else None
            yield _column(
                title or metric.column.replace(" ", "\n"),
                [_median(standing, metric) for standing in shown],
            )


def _median(standing: Standing, metric: Metric) -> str:
    """Return a median; memory is rounded to MiB, which leaves room for names."""
    outcome = standing.outcome
    if metric.name not in outcome.metrics:
        return "-"
    median = outcome.metrics[metric.name].interval.median
    if metric.group is not Group.MEMORY or median < MIB:
        return outcome.written(metric)
    return metrics.written(metric, float(MIB * round(median / MIB)))


def _bottleneck(standing: Standing) -> Text:
    verdict = standing.outcome.verdict
    assert verdict, "only what was measured has a line"
    style = BOTTLENECK_STYLES.get(verdict.bottleneck, OTHER_STYLE)
    return text(bottleneck_word(standing.outcome), style)
