"""
What the cells of a run did over time: throughput, CPU, memory and queues.

Of each cell one trial is drawn, the one in the middle by its duration, as four small
panels of a table. They are lines that the page stretches, and not charts of Vega: a
race has 90 cells, and as Vega's pictures their panels alone would be several megabytes.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from operator import itemgetter
from typing import Any

from autostrada.experiment.matrix import Cell
from autostrada.report import figures, number
from autostrada.report.charts.sweep import parsed
from autostrada.report.query import ask
from autostrada.stats.figures import FIGURES
from autostrada.store.reader import Row, StoreReader

POINTS_MAX = 40
"""Of one line: a panel is about as many pixels three times."""

SIDE = 100
"""The panel's own units; the page stretches it."""

REST_S_MIN = 0.5
"""What is left after whole seconds has a rate of its own from here on."""

Line = tuple[tuple[float, float], ...]
"""Instants in seconds, each with a value, by time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Panel:
    """The lines of one figure, by process; they share a scale from 0."""

    title: str
    lines: Mapping[str, Line]
    written: Mapping[str, str]
    """By process: the most that it came to."""

    duration_s: float

    def points(self, process: str) -> str:
        """Return a line as SVG has it; a single point twice, or it is not drawn."""
        line = self.lines[process] * (2 if len(self.lines[process]) == 1 else 1)
        highest = max((y for each in self.lines.values() for _, y in each), default=0)
        return " ".join(
            f"{SIDE * min(1, at_s / self.duration_s):.0f},"
            f"{SIDE * (1 - value / (highest or 1)):.0f}"
            for at_s, value in line
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class TimeSeries:
    """What one trial of a cell did; its panels share the time."""

    cell: Cell
    repetition: int
    duration_s: float
    panels: tuple[Panel, ...]

    @property
    def span(self) -> str:
        """Write how long it took."""
        return figures.written(FIGURES["connect_ms_p50"], 1e3 * self.duration_s)


TITLES = {
    "messages": "messages a second",
    "cores": "CPU, cores",
    "resident_bytes": "resident memory",
    "queue_bytes": "Send-Q of the server, Recv-Q of the client",
}
"""The panels of a cell, in their order."""

_LIKE = {
    "messages": "messages_per_s",
    "cores": "messages_per_write_call",
    "resident_bytes": "server_memory_bytes_max",
    "queue_bytes": "server_send_queue_bytes_max",
}
"""The figure whose unit the values of a panel have."""


def read_time_series(reader: StoreReader, run_id: int) -> list[TimeSeries]:
    """
    Read what one trial of each cell did over time.

    Of a sweep it is the cell at the largest values.
    """
    rows: dict[Cell, list[Row]] = defaultdict(list)
    for row in ask(reader, "time_series", run_id):
        cell = Cell(
            server=row["server"], client=row["client"], workload=row["workload"]
        )
        rows[cell].append(row)
    return [_series(cell, rows[cell]) for cell in _largest(rows)]


def time_series_rows(every: Iterable[TimeSeries]) -> Iterator[dict[str, Any]]:
    """Yield all points of all lines, as a table to download."""
    for series in every:
        cell = series.cell
        for panel in series.panels:
            for process, line in panel.lines.items():
                for at_s, value in line:
                    yield {
                        "server": cell.server,
                        "client": cell.client,
                        "workload": cell.workload,
                        "repetition": series.repetition + 1,
                        "process": process,
                        "figure": panel.title,
                        "at_s": at_s,
                        "value": value,
                    }


def rate_line(at_s: Sequence[float], counter: Sequence[float]) -> Line:
    """
    Return what a counter gained a second, a level piece for each two samples of it.

    Of many samples some are left out, evenly: the pieces get longer, and no gain is
    lost. One sample makes no rate, and the line is empty.
    """
    samples = list(zip(at_s, counter, strict=True))
    last, most = len(samples) - 1, POINTS_MAX // 2
    if last > most:
        samples = [samples[place * last // most] for place in range(most + 1)]
    line: list[tuple[float, float]] = []
    for (begin_s, before), (end_s, after) in pairwise(samples):
        if end_s > begin_s:
            gained_per_s = (after - before) / (end_s - begin_s)
            line += [(begin_s, gained_per_s), (end_s, gained_per_s)]
    return tuple(line)


def level_line(at_s: Sequence[float], levels: Sequence[float]) -> Line:
    """Return levels as they were sampled; of many neighbours only the highest."""
    samples = list(zip(at_s, levels, strict=True))
    neighbours = max(1, ceil(len(samples) / POINTS_MAX))
    return tuple(
        max(samples[first : first + neighbours], key=itemgetter(1))
        for first in range(0, len(samples), neighbours)
    )


def _largest(cells: Iterable[Cell]) -> list[Cell]:
    """Return, of each workload, server and client, the cell at the largest values."""
    largest: dict[tuple[str, str, str], Cell] = {}
    for cell in sorted(cells, key=lambda cell: [*parsed(cell)[1].values()]):
        largest[parsed(cell)[0], cell.server, cell.client] = cell
    return sorted(largest.values())


def _series(cell: Cell, rows: Sequence[Row]) -> TimeSeries:
    found = {(row["figure"], row["process"]): row for row in rows}
    duration_s = max(1e-9, *(row["duration_s"] for row in rows))
    panels = []
    for figure in TITLES:
        lines = {
            process: line
            for process in ("client", "server")
            if (line := _line(figure, process, found))
        }
        panels.append(_panel(figure, lines, duration_s))
    return TimeSeries(
        cell=cell,
        repetition=rows[0]["repetition"],
        duration_s=duration_s,
        panels=tuple(panels),
    )


def _line(figure: str, process: str, found: Mapping[tuple[str, str], Row]) -> Line:
    if figure == "cores":
        row, mean = found.get(("cpu_ns", process)), found.get(("cores", process))
        line = rate_line(row["at_s"], [ns / 1e9 for ns in row["value"]]) if row else ()
        if line or mean is None:
            return line
        return ((0.0, mean["value"][0]), (mean["at_s"][0], mean["value"][0]))
    row = found.get((figure, process))
    if row is None:
        return ()
    if figure != "messages":
        return level_line(row["at_s"], row["value"])
    at_s, counted = list(row["at_s"]), list(row["value"])
    if len(at_s) > 2 and at_s[-1] - at_s[-2] < REST_S_MIN:
        # The client's seconds begin a little later than the engine's time, and of a
        # short rest that is much: it belongs to the second before it.
        del at_s[-2], counted[-2]
    return rate_line(at_s, counted)


def _panel(figure: str, lines: Mapping[str, Line], duration_s: float) -> Panel:
    like = FIGURES[_LIKE[figure]]
    highest = {name: max(value for _, value in line) for name, line in lines.items()}
    write = (
        number.rate if figure == "messages" else lambda it: figures.written(like, it)
    )
    return Panel(
        title=TITLES[figure],
        lines=lines,
        written={process: write(value) for process, value in highest.items()},
        duration_s=duration_s,
    )
