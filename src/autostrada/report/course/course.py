"""The courses of a run: for each cell, what its repetitions did over time."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autostrada.report.course.line import Line, level_line, rate_line
from autostrada.report.query import ask
from autostrada.report.race.race import Race
from autostrada.store.reader import Row, StoreReader


@dataclass(frozen=True, kw_only=True, slots=True)
class Trace:
    """One figure of one process in one repetition."""

    process: str
    repetition: int
    is_middle: bool
    """Whether it is of the repetition that took the median time."""

    line: Line


@dataclass(frozen=True, kw_only=True, slots=True)
class Panel:
    """The traces of one figure; they share its scale."""

    title: str
    """The figure and its unit."""

    traces: tuple[Trace, ...]
    absence: str
    """Why there is no trace, in one sentence; empty where there is one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Missing:
    """A figure that could not be observed, and why."""

    figure: str
    reason: str
    repetitions: tuple[int, ...]
    """From 0."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Course:
    """What one contestant did in one workload; all panels share the time."""

    contestant: str
    workload: str
    duration_s: float
    """Of the longest repetition."""

    panels: tuple[Panel, ...]
    missing: tuple[Missing, ...]


Courses = Mapping[tuple[str, str], Course]
"""By workload and contestant; those without a measurement have none."""

REST_S_MIN = 0.5
"""What is left after whole seconds has a rate of its own from here on."""


def read_courses(reader: StoreReader, race: Race) -> Courses:
    """Read what was seen of the counted measurements of a run."""
    answers = {
        question: _by_cell(ask(reader, question, race.run_id))
        for question in ("means", "looks", "queues", "missing")
    }
    return {
        key: _course(
            key,
            points,
            {question: cells.get(key, ()) for question, cells in answers.items()},
        )
        for key, points in _by_cell(race.series).items()
    }


def _course(
    key: tuple[str, str],
    points: Sequence[Row],
    answers: Mapping[str, Sequence[Row]],
) -> Course:
    durations = {row["repetition"]: row["at_s"] for row in points}
    middle = sorted(durations, key=lambda each: durations[each])[
        (len(durations) - 1) // 2
    ]
    workload, contestant = key
    return Course(
        contestant=contestant,
        workload=workload,
        duration_s=max(durations.values()),
        panels=(
            _throughput(points, middle),
            _cpu(answers["means"], answers["looks"], middle),
            _memory(answers["looks"], middle),
            _queues(answers["queues"], middle),
        ),
        missing=tuple(
            Missing(
                figure=row["figure"],
                reason=row["reason"],
                repetitions=tuple(row["repetitions"]),
            )
            for row in answers["missing"]
        ),
    )


def _throughput(points: Sequence[Row], middle: int) -> Panel:
    """
    Return messages a second, of whole seconds and the rest that follows them.

    A rest below half a second belongs to the second before it: the client's seconds
    begin a little later than the engine's time, and of a short rest that is much.
    """
    repetitions = defaultdict(list)
    for row in points:
        repetitions[row["repetition"]].append((row["at_s"], row["received"]))
    traces = []
    for repetition, counted in repetitions.items():
        if len(counted) > 2 and counted[-1][0] - counted[-2][0] < REST_S_MIN:
            del counted[-2]
        at_s, received = zip(*counted, strict=True)
        traces.append(
            Trace(
                process="client",
                repetition=repetition,
                is_middle=repetition == middle,
                line=rate_line(at_s, received),
            )
        )
    is_mean = all(len(counted) == 2 for counted in repetitions.values())
    return _panel(_titled("messages a second", is_mean), traces, points)


def _cpu(means: Sequence[Row], looks: Sequence[Row], middle: int) -> Panel:
    """Return cores at work, and the mean where a repetition was too short for looks."""
    rates = [
        _trace(row, middle, rate_line(row["at_s"], [ns / 1e9 for ns in row["cpu_ns"]]))
        for row in looks
    ]
    drawn = {(each.repetition, each.process): each for each in rates if each.line}
    wholes = [
        _trace(row, middle, ((0.0, row["cores"]), (row["duration_s"], row["cores"])))
        for row in means
        if (row["repetition"], row["process"]) not in drawn
    ]
    is_mean = bool(wholes) and not drawn
    return _panel(_titled("CPU, cores", is_mean), [*drawn.values(), *wholes], looks)


def _memory(looks: Sequence[Row], middle: int) -> Panel:
    traces = [
        _trace(row, middle, _levels(row, "resident_bytes", unit_bytes=2**20))
        for row in looks
    ]
    return _panel("resident memory, MiB", traces, looks)


def _queues(rows: Sequence[Row], middle: int) -> Panel:
    """Return what the server's sockets have not sent and the client has not read."""
    queues = {"server": "send_queue_bytes", "client": "receive_queue_bytes"}
    traces = [
        _trace(row, middle, _levels(row, queues[row["process"]], unit_bytes=1024))
        for row in rows
    ]
    title = "queues, KiB: Send-Q of the server, Recv-Q of the client"
    return _panel(title, traces, rows)


def _titled(title: str, is_mean: bool) -> str:
    return f"{title}, mean of each repetition" if is_mean else title


def _levels(row: Row, column: str, *, unit_bytes: int) -> Line:
    return level_line(row["at_s"], [bytes_ / unit_bytes for bytes_ in row[column]])


def _trace(row: Row, middle: int, line: Line) -> Trace:
    return Trace(
        process=row["process"],
        repetition=row["repetition"],
        is_middle=row["repetition"] == middle,
        line=line,
    )


def _panel(title: str, traces: Sequence[Trace], rows: Sequence[Row]) -> Panel:
    drawn = tuple(trace for trace in traces if trace.line)
    if drawn:
        absence = ""
    elif rows:
        absence = "It was over before it was looked at."
    else:
        absence = "Not observed."
    return Panel(title=title, traces=drawn, absence=absence)


def _by_cell(rows: Sequence[Row]) -> Mapping[tuple[str, str], Sequence[Row]]:
    cells = defaultdict(list)
    for row in rows:
        cells[row["workload"], row["contestant"]].append(row)
    return cells
