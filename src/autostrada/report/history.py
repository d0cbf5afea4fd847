"""What is printed of the history of loads: a list, a table, and a comparison."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from rich.table import Table

from autostrada.report.number import DASH, count, percent, plain, size, times
from autostrada.report.table_layout import Column, filled, lay_out
from autostrada.report.text import text
from autostrada.stats.change import Change, Direction, can_differ, change
from autostrada.store.history import LoadMetric, SavedLoad

SHOWN = ("rate", "achieved", "p50", "p99", "max", "errors", "server-cpu")
"""Metrics in the table of a name's loads."""

COMPARED_WITH_BEFORE = ("rate", "p99")
"""Metrics that are shown beside those of earlier loads."""

CHANCE_NOTE = (
    "Each metric is tested by itself: of 20 that did not change, one is expected to "
    "differ by chance."
)
"""Below a table of compared metrics."""

TOO_FEW = "too few loads: three of each name are needed"


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedMetric:
    """A metric of two groups of loads, each the loads of one name."""

    name: str
    unit: str
    before: Sequence[float]
    after: Sequence[float]

    @property
    def is_decided(self) -> bool:
        """Whether there are enough loads to tell a change from chance."""
        return can_differ(len(self.before), len(self.after))

    def change(self, factor: float = 1.0) -> Change:
        """Test whether it is now above or below ``factor`` times what it was."""
        return change(self.before, self.after, factor)


def compared(
    before: Sequence[SavedLoad], after: Sequence[SavedLoad]
) -> list[ComparedMetric]:
    """Return the metrics that all of these loads have, in the order of the metrics."""
    return [
        ComparedMetric(
            name=metric.name,
            unit=metric.unit,
            before=_values(before, metric.name),
            after=_values(after, metric.name),
        )
        for metric in after[0].metrics
        if all(load.metric(metric.name) for load in (*before, *after))
    ]


def beside(load: SavedLoad, earlier: Sequence[SavedLoad]) -> str:
    """Return a line about the loads of the same name that asked for the same."""
    same = [
        stored
        for stored in earlier
        if (stored.name, stored.asked) == (load.name, load.asked)
    ]
    if not same:
        return f"history: the first load {load.name!r} of this kind"
    ranges = []
    for name in COMPARED_WITH_BEFORE:
        known = [metric for stored in same if (metric := stored.metric(name))]
        if known:
            low, high = (
                _text(edge(known, key=lambda metric: metric.value))
                for edge in (min, max)
            )
            ranges.append(f"{name} {low}" if low == high else f"{name} {low} to {high}")
    return f"history: in {count(len(same), 'load')} before, {', '.join(ranges)}"


def names(loads: Iterable[SavedLoad]) -> list[Table]:
    """Return a table of the names: how many loads asked for the same, and when."""
    grouped: dict[tuple[str, str], list[SavedLoad]] = {}
    for load in loads:
        grouped.setdefault((load.name, load_asked(load)), []).append(load)
    rows = [
        (name, str(len(group)), _at(group[-1]), asked)
        for (name, asked), group in grouped.items()
    ]
    columns = [
        Column(title="name", justify="left", wraps=True, identifies=True),
        Column(title="loads"),
        Column(title="last", justify="left"),
        Column(title="asked for", justify="left", wraps=True),
    ]
    return _tables(columns, rows)


def loads_of_name(loads: Sequence[SavedLoad]) -> list[Table]:
    """Return a table of the loads of one name, in their order."""
    rows = [
        (
            _at(load),
            load_asked(load),
            *(_text(metric) if (metric := load.metric(name)) else "" for name in SHOWN),
        )
        for load in loads
    ]
    first = [
        Column(title="at", justify="left", identifies=True),
        Column(title="asked for", justify="left", wraps=True),
    ]
    return _tables([*first, *(Column(title=name) for name in SHOWN)], rows)


def comparison(before: Sequence[SavedLoad], after: Sequence[SavedLoad]) -> list[Table]:
    """Return a table of the ratio of each metric, with its interval."""
    rows = []
    for metric in compared(before, after):
        found = metric.change()
        ratio = found.ratio
        middles = [
            in_unit(median(values), metric.unit)
            for values in (metric.before, metric.after)
        ]
        is_known = metric.is_decided and ratio.confidence > 0
        bounds = f"{times(ratio.low)} {DASH} {times(ratio.high)}" if is_known else ""
        rows.append(
            (
                metric.name,
                *middles,
                times(ratio.value),
                bounds,
                _direction(found) if metric.is_decided else TOO_FEW,
            )
        )
    columns = [
        Column(title="metric", justify="left", identifies=True),
        *(Column(title=group[0].name) for group in (before, after)),
        Column(title="ratio"),
        Column(title="interval"),
        Column(title="", justify="left", wraps=True),
    ]
    return _tables(columns, rows)


def _direction(found: Change) -> str:
    return "" if found.direction is Direction.UNCLEAR else found.direction.value


def in_unit(value: float, unit: str) -> str:
    """Format the value of a metric with its unit: ``12.3 ms`` or ``9,800/s``."""
    match unit:
        case "s":
            return f"{plain(1e3 * value)} ms"
        case "per_s":
            return f"{plain(value, 0)}/s"
        case "share":
            return percent(value, 1)
        case "bytes":
            return size(value)
        case _:
            return plain(value, 0)


def _text(metric: LoadMetric) -> str:
    return in_unit(metric.value, metric.unit)


def _values(loads: Iterable[SavedLoad], name: str) -> list[float]:
    return [metric.value for load in loads if (metric := load.metric(name))]


def load_asked(load: SavedLoad) -> str:
    """Return what was asked for, without the URL."""
    return load.asked.rpartition(": ")[2]


def _at(load: SavedLoad) -> str:
    return f"{load.at:%Y-%m-%d %H:%M}"


def _tables(columns: Sequence[Column], rows: Iterable[Iterable[str]]) -> list[Table]:
    texts = ([text(cell) for cell in row] for row in rows)
    return lay_out(filled(columns, texts), width=80, repeated=1)
