"""
The table of a ranking, described once.

Terminal, page and README draw these columns, in this order. Each of them draws the
rank and the name of a cell in its own form.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from math import ceil

from autostrada.experiment.matrix import REFERENCE
from autostrada.report import metrics, number
from autostrada.report.cold import COLD
from autostrada.report.overhead import overheads
from autostrada.report.ranking import BIAS, Ranking, Standing
from autostrada.report.ranking_text import ratio_detail, to_best, to_reference
from autostrada.report.results import Results
from autostrada.report.verdict import head_room
from autostrada.stats.interval import Interval
from autostrada.stats.metrics import METRICS, Group, Metric
from autostrada.stats.ratio import Ratio

MIB = 2**20

SIDES = ("server", "client")

CPU = "CPU"
MEMORY = "memory"
GROUP_TITLES = {Group.CPU: CPU, Group.MEMORY: MEMORY}
"""Titles on the terminal for a metric of the only contestant of each cell."""

BOTTLENECK = "bottleneck"
"""Kind of the column of bottlenecks."""


class Medium(StrEnum):
    """Where a ranking is shown."""

    TERMINAL = "terminal"
    PAGE = "page"
    MARKDOWN = "markdown"


@dataclass(frozen=True, kw_only=True, slots=True)
class RankingEntry:
    """What a column shows of one cell."""

    text: str = ""
    narrow: str | None = None
    """Its form on the terminal; ``None`` if it is that of ``text``."""

    detail: str = ""
    """A second line, which only a page has."""

    kind: str = ""
    """The style of the text: the name of a bottleneck."""

    value: float | None = None
    """The number by which a page sorts the column; ``None`` for a text."""


def _titles(terminal: str, page: str, markdown: str) -> Mapping[Medium, str]:
    """Return the titles of a column that all media show."""
    return dict(zip(Medium, (terminal, page, markdown), strict=True))


EMPTY = RankingEntry()


@dataclass(frozen=True, kw_only=True, slots=True)
class RankingColumn:
    """A column of a ranking."""

    titles: Mapping[Medium, str]
    """The title in each medium that shows the column; it may have several lines."""

    entry: Callable[[Standing], RankingEntry]
    kind: str = ""
    """The style of the column on a page."""


SLICE_COLUMNS = {
    "messages_per_wakeup": "messages\na wake-up",
    BIAS: "CPU time,\nslices to\nhalf a second",
}
"""Titles of a page's columns of a ranking by slices, by metric."""


def ranking_columns(
    ranking: Ranking, standings: Sequence[Standing], results: Results
) -> list[RankingColumn]:
    """Return the columns that follow the names of the given standings."""
    if ranking.slices:
        beside = [*_of_slices(standings), *_cold(standings)]
    else:
        beside = [_to_reference(ranking), _variation(standings)]
    return [
        _ranked(ranking, results),
        _intervals(ranking, standings),
        _to_best(ranking),
        *beside,
        *_metrics(ranking, standings),
        _overhead(),
        _bottleneck(),
    ]


def shown_on(
    medium: Medium, ranking: Ranking, standings: Sequence[Standing], results: Results
) -> list[RankingColumn]:
    """Return the columns that a medium shows."""
    columns = ranking_columns(ranking, standings, results)
    return [column for column in columns if medium in column.titles]


def has_row(standing: Standing) -> bool:
    """Whether a cell has a row of metrics, and not only a reason for having none."""
    is_measured = standing.sampled is not None or standing.is_unsteady
    return is_measured and standing.outcome.verdict is not None


def _ranked(ranking: Ranking, results: Results) -> RankingColumn:
    metric, usual = ranking.metric, results.usual_confidence

    def entry(standing: Standing) -> RankingEntry:
        text, interval = standing.text, standing.interval
        if interval is None:
            return RankingEntry(text=text, narrow="\n".join(text.rsplit(" ", 1)))
        is_apart = ranking.slices is not None
        detail = "" if is_apart else metrics.interval_detail(interval, usual, metric)
        return RankingEntry(text=text, detail=detail)

    titles = _titles(metric.column, metric.title, metric.column)
    return RankingColumn(titles=titles, entry=entry, kind="main")


def _intervals(ranking: Ranking, standings: Sequence[Standing]) -> RankingColumn:
    """
    Return the column of the larger distances of bounds, in percent of the value.

    Without slices only the terminal has it, with the lowest confidence as its title.
    """
    known = {
        standing.sampled.interval.confidence
        for standing in standings
        if standing.sampled and standing.sampled.interval.confidence
    }
    lowest = number.confidence(min(known, default=0))
    sign = "≥" if len(known) > 1 else ""
    return RankingColumn(
        titles=dict.fromkeys(Medium, "±")
        if ranking.slices
        else {Medium.TERMINAL: f"{sign}{lowest}\nCI"},
        entry=lambda standing: RankingEntry(text=_distance(standing.interval)),
    )


def _distance(interval: Interval | None) -> str:
    """Write the larger distance of a bound from the median, rounded up: ``±1.3%``."""
    if not (interval and interval.confidence and interval.median):
        return ""
    distance = max(interval.high - interval.median, interval.median - interval.low)
    percent = 100 * distance / interval.median
    places = 1 if percent < 10 else 0
    return f"±{ceil(percent * 10**places) / 10**places:.{places}f}%"


def _of_slices(standings: Sequence[Standing]) -> Iterator[RankingColumn]:
    """Yield what is beside the rate by CPU time: by the clock, waits and bias."""
    yield RankingColumn(
        titles=_titles(
            "by clock", "by the clock,\nper second", "by the clock, per second"
        ),
        entry=_by_the_clock,
    )
    yield RankingColumn(
        titles=_titles("CPU", "utilization", "utilization"),
        entry=_utilization,
    )
    for name, title in SLICE_COLUMNS.items():
        if any(name in standing.outcome.metrics for standing in standings):
            yield RankingColumn(
                titles={Medium.PAGE: title},
                entry=partial(_median, metric=METRICS[name]),
            )


def _by_the_clock(standing: Standing) -> RankingEntry:
    per_s = standing.by_the_clock
    if per_s is None:
        return EMPTY
    sign = standing.outcome.sign(METRICS["messages_per_s"])
    return RankingEntry(text=sign + number.rate(per_s), value=per_s)


def _utilization(standing: Standing) -> RankingEntry:
    used = standing.outcome.utilization
    return (
        EMPTY if used is None else RankingEntry(text=number.percent(used), value=used)
    )


def _median(standing: Standing, metric: Metric) -> RankingEntry:
    found = standing.outcome.metrics.get(metric.name)
    if found is None:
        return EMPTY
    return RankingEntry(
        text=standing.outcome.written(metric), value=found.interval.median
    )


def _to_best(ranking: Ranking) -> RankingColumn:
    titles = _titles("ratio", "to the\nbest", "to best")
    return RankingColumn(
        titles=titles,
        entry=lambda standing: _ratio_entry(
            to_best(standing, ranking), standing.to_best
        ),
    )


def _to_reference(ranking: Ranking) -> RankingColumn:
    return RankingColumn(
        titles={Medium.PAGE: "to the\nreference"} if ranking.reference else {},
        entry=lambda standing: _ratio_entry(
            to_reference(standing, ranking), standing.to_reference
        ),
    )


def _ratio_entry(text: str, ratio: Ratio | None) -> RankingEntry:
    return RankingEntry(
        text=text, detail=ratio_detail(ratio), value=ratio.value if ratio else None
    )


def _cold(standings: Sequence[Standing]) -> Iterator[RankingColumn]:
    """Yield the column of cold times of pushes, whose title has their messages."""
    labels = {
        standing.cold_text.rpartition("/")[2]
        for standing in standings
        if standing.cold_text
    }
    if not labels:
        return
    title = f"cold,\n{labels.pop()}" if len(labels) == 1 else "cold"

    def entry(standing: Standing) -> RankingEntry:
        text = standing.cold_text
        ratio = standing.cold_ratio
        return RankingEntry(
            text=text if title == "cold" else text.partition("/")[0],
            detail=f"{number.times(ratio)} as long" if ratio else "",
        )

    yield RankingColumn(titles=dict.fromkeys(Medium, title), entry=entry)


def _variation(standings: Sequence[Standing]) -> RankingColumn:
    """Return the page's column of messages a second, and how much they vary."""
    name = "messages_per_s"
    rate = METRICS[name]

    def entry(standing: Standing) -> RankingEntry:
        outcome, variation = standing.outcome, standing.variation
        if not has_rate:
            return RankingEntry(text=variation)
        if name not in outcome.metrics:
            return EMPTY
        median = outcome.metrics[name].interval.median
        return RankingEntry(
            text=outcome.sign(rate) + number.rate(median),
            detail=f"CV {variation}" if variation else "",
            value=median,
        )

    has_rate = any(name in standing.outcome.metrics for standing in standings)
    title = "messages\nper second,\nvariation" if has_rate else "variation"
    return RankingColumn(titles={Medium.PAGE: title}, entry=entry)


def _metrics(
    ranking: Ranking, standings: Sequence[Standing]
) -> Iterator[RankingColumn]:
    """
    Yield a column for each further metric.

    On the terminal only contestants' ends have columns. If both ends are contestants,
    there is no room for their memory.
    """
    known = {name for standing in standings for name in standing.outcome.metrics}
    cells = [standing.outcome.cell for standing in standings]
    ends = [
        end for end in SIDES if any(getattr(cell, end) != REFERENCE for cell in cells)
    ]
    for metric in METRICS.values():
        if metric.name not in known or metric in {ranking.metric, *COLD.values()}:
            continue
        titles = {}
        if metric.page_ranking:
            titles[Medium.PAGE] = metric.page_ranking.title
        end = metric.name.partition("_")[0]
        is_of_end = end in SIDES
        has_room = metric.group is not Group.MEMORY or len(ends) < len(SIDES)
        is_named = end in ends or not is_of_end
        is_on_terminal = "ranking" in metric.terminal and not ranking.slices
        if is_on_terminal and has_room and is_named:
            is_only = is_of_end and len(ends) == 1
            title = GROUP_TITLES.get(metric.group) if is_only else None
            titles[Medium.TERMINAL] = title or metric.column.replace(" ", "\n")
        if titles:
            yield RankingColumn(titles=titles, entry=partial(_metric, metric=metric))


def _metric(standing: Standing, metric: Metric) -> RankingEntry:
    """Return a median; memory is rounded to MiB on the terminal, for want of room."""
    outcome = standing.outcome
    if metric.name not in outcome.metrics:
        return RankingEntry(narrow="-")
    text = outcome.written(metric)
    median = outcome.metrics[metric.name].interval.median
    is_rounded = metric.group is Group.MEMORY and median >= MIB
    rounded = float(MIB * round(median / MIB))
    return RankingEntry(
        text=text,
        narrow=metrics.written(metric, rounded) if is_rounded else None,
        detail="\n".join(_parts(standing, metric)),
        value=median,
    )


def _parts(standing: Standing, metric: Metric) -> list[str]:
    """Return the metrics below another one on a page; none if one is not known."""
    below = metric.page_ranking.below if metric.page_ranking else {}
    known = standing.outcome.metrics
    if not below.keys() <= known.keys():
        return []
    return [
        f"{label} {metrics.written(METRICS[name], known[name].interval.median)}".strip()
        for name, label in below.items()
    ]


def _overhead() -> RankingColumn:
    def entry(standing: Standing) -> RankingEntry:
        cell = standing.outcome.cell
        recorded = overheads()
        found = recorded.get((cell.client, "client")) or recorded.get(
            (cell.server, "server")
        )
        if not found:
            return EMPTY
        ratio = found[found["described_by"]]
        low, high = ratio["low"], ratio["high"]
        return RankingEntry(
            text=number.times(ratio["value"]),
            detail=number.between(low, high, like=ratio["value"]),
            value=ratio["value"],
        )

    titles = {Medium.PAGE: "harness\noverhead"} if overheads() else {}
    return RankingColumn(titles=titles, entry=entry)


def _bottleneck() -> RankingColumn:
    titles = _titles("limited by", "bottleneck;\nnext", "bottleneck")

    def entry(standing: Standing) -> RankingEntry:
        verdict = standing.outcome.verdict
        if verdict is None:
            return EMPTY
        return RankingEntry(
            text=standing.outcome.bottleneck,
            detail=head_room(verdict),
            kind=verdict.bottleneck.name.lower(),
        )

    return RankingColumn(titles=titles, entry=entry, kind=BOTTLENECK)
