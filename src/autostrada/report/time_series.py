"""
Time series of the cells of a run: throughput, CPU, memory and queues.

For each cell, the trial of median duration is drawn as four small panels of a table.
The panels are SVG lines that the page stretches, not Vega charts: a race has 90 cells,
and their panels as Vega pictures would take several megabytes.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from operator import itemgetter

from autostrada.experiment.matrix import Cell
from autostrada.report import metrics, number
from autostrada.report.charts.curve_plots import parsed
from autostrada.report.query import run_query
from autostrada.stats.metrics import METRICS
from autostrada.store.reader import Row, StoreReader, as_record

POINTS_MAX = 40
"""Maximum number of points of a line; a panel is about three times as many pixels."""

RATE_POINTS_MAX = 160
"""Maximum number of points of a line of a chart as wide as the page."""

SIDE = 100
"""Width and height of a panel in SVG user units; the page stretches the panel."""

REST_S_MIN = 0.5
"""
Shortest last interval of messages that has a rate of its own, in seconds.

A shorter one is merged with the second before it.
"""

Line = tuple[tuple[float, float], ...]
"""Points in order of time: seconds since the start of the trial, and a value."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Panel:
    """The lines of one metric by process, on a common scale that starts at 0."""

    title: str
    lines: Mapping[str, Line]
    written: Mapping[str, str]
    """Maximum of each process, formatted with its unit."""

    duration_s: float
    """Duration of the trial, which is the width of the panel, in seconds."""

    def points(self, process: str) -> str:
        """
        Return a line as the ``points`` of an SVG polyline.

        A single point is repeated, because a polyline of one point is not drawn. Points
        inside a horizontal or vertical part are left out.
        """
        line = self.lines[process] * (2 if len(self.lines[process]) == 1 else 1)
        highest = max((y for each in self.lines.values() for _, y in each), default=0)
        drawn: list[tuple[int, int]] = []
        for at_s, value in line:
            point = (
                round(SIDE * min(1, at_s / self.duration_s)),
                round(SIDE * (1 - value / (highest or 1))),
            )
            if len(drawn) > 1 and _is_between(drawn[-1], drawn[-2], point):
                drawn.pop()
            drawn.append(point)
        return " ".join(f"{x},{y}" for x, y in drawn)


def _is_between(
    middle: tuple[int, int], before: tuple[int, int], after: tuple[int, int]
) -> bool:
    """Whether a point is on the horizontal or vertical line between two others."""
    (x, y), (x_before, y_before), (x_after, y_after) = middle, before, after
    is_straight = x_before == x == x_after or y_before == y == y_after
    return is_straight and sorted((before, middle, after))[1] == middle


@dataclass(frozen=True, kw_only=True, slots=True)
class TimeSeries:
    """The time series of one trial of a cell; its panels have the same time axis."""

    cell: Cell
    repetition: int
    duration_s: float
    panels: tuple[Panel, ...]
    rate: Line = ()
    """Messages per second of the client, with more steps than its panel has."""

    @property
    def span(self) -> str:
        """The duration of the trial, formatted with its unit."""
        return metrics.written(METRICS["connect_ms_p50"], 1e3 * self.duration_s)


PANELS = {
    "messages": ("messages per second", "messages_per_s"),
    "cores": ("CPU, cores", "messages_per_write_call"),
    "resident_bytes": ("resident memory", "server_memory_bytes_max"),
    "queue_bytes": (
        "Send-Q of the server, Recv-Q of the client",
        "server_send_queue_bytes_max",
    ),
}
"""
Panels of a cell by metric, in display order.

Each has its title and a metric with the same unit, which defines the format of values.
"""


def read_time_series(reader: StoreReader, run_id: int) -> list[TimeSeries]:
    """
    Read the time series of one trial of each cell.

    A sweep is represented by its cell with the largest parameter values.
    """
    rows: dict[Cell, list[Row]] = defaultdict(list)
    for row in run_query(reader, "time_series", run_id):
        rows[as_record(Cell, row)].append(row)
    return [_series(cell, rows[cell]) for cell in _largest(rows)]


def rate_line(
    at_s: Sequence[float], counter: Sequence[float], points_max: int = POINTS_MAX
) -> Line:
    """
    Return the increase of a counter per second as a step line.

    Each step covers two samples. Samples that are closer than evenly spaced ones would
    be are omitted: the steps become longer, and no increase is lost. The line is empty
    if there is only one sample.
    """
    found = list(zip(at_s, counter, strict=True))
    samples = found[:1]
    step_s = (at_s[-1] - at_s[0]) / (points_max // 2) if found else 0.0
    for sample in found:
        if sample[0] >= samples[-1][0] + step_s:
            samples.append(sample)
    # What is left after the last step is part of it.
    samples[max(1, len(samples) - 1) :] = found[1:][-1:]
    line: list[tuple[float, float]] = []
    for (begin_s, before), (end_s, after) in pairwise(samples):
        if end_s > begin_s:
            gained_per_s = (after - before) / (end_s - begin_s)
            line += [(begin_s, gained_per_s), (end_s, gained_per_s)]
    return tuple(line)


def level_line(at_s: Sequence[float], levels: Sequence[float]) -> Line:
    """Return sampled levels; groups of neighbours are reduced to their maximum."""
    samples = list(zip(at_s, levels, strict=True))
    neighbours = max(1, ceil(len(samples) / POINTS_MAX))
    return tuple(
        max(samples[first : first + neighbours], key=itemgetter(1))
        for first in range(0, len(samples), neighbours)
    )


def _largest(cells: Iterable[Cell]) -> list[Cell]:
    """Return for each workload, server and client the cell of the largest values."""
    largest: dict[tuple[str, str, str], Cell] = {}
    for cell in sorted(cells, key=lambda cell: [*parsed(cell)[1].values()]):
        largest[parsed(cell)[0], cell.server, cell.client] = cell
    return sorted(largest.values())


def _series(cell: Cell, rows: Sequence[Row]) -> TimeSeries:
    found = {(row["metric"], row["process"]): row for row in rows}
    duration_s = max(1e-9, *(row["duration_s"] for row in rows))
    panels = []
    for metric in PANELS:
        lines = {
            process: line
            for process in ("client", "server")
            if (line := _line(metric, process, found))
        }
        panels.append(_panel(metric, lines, duration_s))
    return TimeSeries(
        cell=cell,
        repetition=rows[0]["repetition"],
        duration_s=duration_s,
        panels=tuple(panels),
        rate=_arrived(found, RATE_POINTS_MAX),
    )


def _line(metric: str, process: str, found: Mapping[tuple[str, str], Row]) -> Line:
    if metric == "cores":
        row, mean = found.get(("cpu_ns", process)), found.get(("cores", process))
        line = rate_line(row["at_s"], [ns / 1e9 for ns in row["value"]]) if row else ()
        if line or mean is None:
            return line
        return ((0.0, mean["value"][0]), (mean["at_s"][0], mean["value"][0]))
    if metric == "messages":
        return _arrived(found) if process == "client" else ()
    row = found.get((metric, process))
    return level_line(row["at_s"], row["value"]) if row else ()


def _arrived(
    found: Mapping[tuple[str, str], Row], points_max: int = POINTS_MAX
) -> Line:
    """Return the messages per second of the client."""
    row = found.get(("messages", "client"))
    if row is None:
        return ()
    at_s, counted = list(row["at_s"]), list(row["value"])
    if len(at_s) > 2 and at_s[-1] - at_s[-2] < REST_S_MIN:
        # The client's seconds begin slightly later than the engine's time. For a short
        # last interval the error would be large, so it is merged with the one before.
        del at_s[-2], counted[-2]
    return rate_line(at_s, counted, points_max)


def _panel(metric: str, lines: Mapping[str, Line], duration_s: float) -> Panel:
    title, like = PANELS[metric]
    highest = {name: max(value for _, value in line) for name, line in lines.items()}
    write = (
        number.rate
        if metric == "messages"
        else lambda it: metrics.written(METRICS[like], it)
    )
    return Panel(
        title=title,
        lines=lines,
        written={process: write(value) for process, value in highest.items()},
        duration_s=duration_s,
    )
