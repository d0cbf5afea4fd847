"""The history of loads as it is printed, and the loads of a name."""

import sys
from collections.abc import Iterable, Sequence

from rich.table import Table

from autostrada.errors import UsageError
from autostrada.report.number import count, percent, plain, size
from autostrada.report.table_layout import Column, filled, lay_out
from autostrada.report.text import text
from autostrada.store.history import LoadMetric, SavedLoad, history_path, read_history

SHOWN = ("rate", "achieved", "p50", "p99", "max", "errors", "server-cpu")
"""Metrics in the table of a name's loads."""

COMPARED_WITH_BEFORE = ("rate", "p99")
"""Metrics that are shown beside those of earlier loads."""


def read_loads() -> list[SavedLoad]:
    """
    Return the loads of this user; lines that are none are counted on stderr.

    Raises:
        UsageError: there are none, or the history cannot be read.
    """
    path = history_path()
    loads, others = read_history(path)
    if others:
        sys.stderr.write(f"{path}: {others} lines are no loads, and are left out\n")
    if not loads:
        raise UsageError("the history is empty: autostrada load adds to it")
    return loads


def loads_called(name: str, loads: Sequence[SavedLoad]) -> list[SavedLoad]:
    """
    Return the loads of a name.

    Raises:
        UsageError: there are none.
    """
    found = [load for load in loads if load.name == name]
    if not found:
        known = ", ".join(dict.fromkeys(load.name for load in loads))
        raise UsageError(f"no load is called {name!r}: choose one of {known}")
    return found


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
        (name, str(len(group)), load_time(group[-1]), asked)
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
            load_time(load),
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


def load_asked(load: SavedLoad) -> str:
    """Return what was asked for, without the URL."""
    return load.asked.rpartition(": ")[2]


def load_time(load: SavedLoad) -> str:
    """Return when a load began, in the time zone of its machine."""
    return f"{load.at:%Y-%m-%d %H:%M}"


def _tables(columns: Sequence[Column], rows: Iterable[Iterable[str]]) -> list[Table]:
    texts = ([text(cell) for cell in row] for row in rows)
    return lay_out(filled(columns, texts), width=80, repeated=1)
