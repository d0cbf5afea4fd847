"""
Every figure that a trial can have: what it is called, and how it is written.

The names are those of ``docs/experiments.md``, which says what each means.
"""

from dataclasses import dataclass
from enum import StrEnum
from math import inf
from typing import Literal

from autostrada.report import number
from autostrada.stats.interval import Interval

Unit = Literal["count", "per_s", "ms", "s", "us", "bytes", "share"]
Better = Literal["less", "more", "neither"]
Combination = Literal["sum", "mean", "max"]


LADDERS: dict[Unit, tuple[tuple[float, float, str], ...]] = {
    "ms": ((1000, 0.001, "s"), (1, 1, "ms"), (0, 1000, "µs")),
    "bytes": (
        (2**30, 2**-30, "GiB"),
        (2**20, 2**-20, "MiB"),
        (2**10, 2**-10, "KiB"),
        (0, 1, "bytes"),
    ),
}
"""From how many on values are multiplied by what, and the unit that they then have."""

UNITS: dict[Unit, tuple[float, str]] = {
    "share": (100, "%"),
    "s": (1, f"{number.THIN_SPACE}s"),
    "us": (1, f"{number.THIN_SPACE}µs"),
    "count": (1, ""),
    "per_s": (1, ""),
}


class Group(StrEnum):
    """Figures that are shown in one table."""

    THROUGHPUT = "Throughput"
    LATENCY = "Latency"
    LOSSES = "Losses and regularity"
    CPU = "CPU"
    MEMORY = "Memory"
    QUEUES = "Queues and bandwidth"
    CONNECTIONS = "Connections"


SPEEDS = {Group.THROUGHPUT, Group.LATENCY, Group.CONNECTIONS}
"""Groups of figures that are better where nothing holds a contestant back."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """One figure; ``better`` says which of two values is."""

    name: str
    title: str
    unit: Unit
    better: Better
    group: Group
    of_clients: Combination = "mean"
    """What it is of several clients that each have one."""

    @property
    def bound_sign(self) -> str:
        """What stands before a figure that may be better than it is shown."""
        if self.group not in SPEEDS:
            return ""
        return {"more": "≥ ", "less": "≤ ", "neither": ""}[self.better]

    def written(self, value: float) -> str:
        """Write a value with its unit and about three digits that mean something."""
        factor, unit = _scale(self.unit, value)
        return f"{_plain(value * factor, value * factor)}{unit}"

    def bounds(self, interval: Interval) -> str:
        """Write the bounds around a median, in its unit; empty for one sample."""
        if not interval.confidence:
            return ""
        factor, unit = _scale(self.unit, interval.median)
        if interval.high == inf:
            return f"≥{number.THIN_SPACE}{_plain(interval.low * factor, 1)}{unit}"
        low, high = (
            _plain(each * factor, interval.median * factor)
            for each in (interval.low, interval.high)
        )
        return f"{low}{number.DASH}{high}{unit}"


def _scale(unit: Unit, like: float) -> tuple[float, str]:
    """Return by what values are multiplied, and the unit that they then have."""
    if unit in LADDERS:
        steps = LADDERS[unit]
        factor, name = next(step[1:] for step in steps if abs(like) >= step[0])
        return factor, f"{number.THIN_SPACE}{name}"
    return UNITS[unit]


def _plain(value: float, like: float) -> str:
    """Write a number with the places of another; whole small ones without any."""
    is_whole = float(value).is_integer() and float(like).is_integer()
    return number.plain(value, 0 if is_whole else number.decimals(abs(like)))


_ROWS: dict[Group, tuple[tuple[str, str, Unit, Better, Combination], ...]] = {
    Group.THROUGHPUT: (
        ("ms_per_million", "time for a million messages", "ms", "less", "mean"),
        ("sent_per_s", "sent a second", "per_s", "more", "sum"),
        ("received_per_s", "received a second", "per_s", "more", "sum"),
        (
            "sent_per_client_per_s",
            "sent a second to each client",
            "per_s",
            "more",
            "mean",
        ),
        (
            "received_per_client_per_s",
            "received a second by each client",
            "per_s",
            "more",
            "mean",
        ),
        ("sent_messages", "sent in all", "count", "more", "sum"),
        ("received_messages", "received in all", "count", "more", "sum"),
        ("received_per_client", "received by each client", "count", "more", "mean"),
        ("offered_per_s", "offered a second", "per_s", "neither", "sum"),
        ("achieved_per_s", "achieved a second", "per_s", "more", "sum"),
        ("sent_share", "sent of the offered", "share", "neither", "mean"),
        ("achieved_share", "achieved of the offered", "share", "more", "mean"),
        ("most_connections", "most connections", "count", "more", "max"),
    ),
    Group.LATENCY: (
        ("latency_ms_mean", "mean latency", "ms", "less", "mean"),
        ("latency_ms_p50", "median latency", "ms", "less", "mean"),
        ("latency_ms_p99", "99th percentile of latency", "ms", "less", "max"),
        ("latency_ms_max", "longest latency", "ms", "less", "max"),
        ("response_ms_mean", "mean response time", "ms", "less", "mean"),
        ("response_ms_p50", "median response time", "ms", "less", "mean"),
        ("response_ms_p99", "99th percentile of response time", "ms", "less", "max"),
        ("response_ms_max", "longest response time", "ms", "less", "max"),
    ),
    Group.LOSSES: (
        ("dropped_messages", "sent and not received", "count", "less", "sum"),
        ("dropped_share", "share not received", "share", "less", "mean"),
        ("missing_messages", "gaps in the numbers", "count", "less", "sum"),
        ("wrong_messages", "wrong content", "count", "less", "sum"),
        ("disconnected_clients", "disconnected", "count", "less", "sum"),
        ("on_time_share", "on time", "share", "more", "mean"),
        ("clump_max_messages", "largest clump", "count", "less", "max"),
        ("backlog_messages", "due and not there at the end", "count", "less", "sum"),
        (
            "backlog_at_window_end_messages",
            "unanswered at the end of the window",
            "count",
            "less",
            "sum",
        ),
        (
            "backlog_answered_in_drain_messages",
            "of these, answered in the drain",
            "count",
            "neither",
            "sum",
        ),
        (
            "backlog_unanswered_messages",
            "unanswered at the end of the drain",
            "count",
            "less",
            "sum",
        ),
        ("is_steady", "trials that were steady", "share", "more", "mean"),
        ("is_well", "trials in which all was well", "share", "more", "mean"),
    ),
    Group.CPU: (
        ("server_cpu_share", "CPU of the server", "share", "less", "mean"),
        ("client_cpu_share", "CPU of each client process", "share", "less", "mean"),
        ("cpu_idle_share", "idle cores of the server", "share", "more", "mean"),
        ("server_cpu_us_per_event", "server CPU an event", "us", "less", "mean"),
    ),
    Group.MEMORY: (
        ("server_memory_bytes_max", "server, most", "bytes", "less", "max"),
        ("server_memory_bytes_third_1", "server, 1st third", "bytes", "less", "max"),
        ("server_memory_bytes_third_2", "server, 2nd third", "bytes", "less", "max"),
        ("server_memory_bytes_third_3", "server, at the end", "bytes", "less", "max"),
        (
            "server_memory_bytes_per_connection",
            "server, a connection",
            "bytes",
            "less",
            "mean",
        ),
        (
            "client_memory_bytes_third_1",
            "client process, 1st third",
            "bytes",
            "less",
            "mean",
        ),
        (
            "client_memory_bytes_third_2",
            "client process, 2nd third",
            "bytes",
            "less",
            "mean",
        ),
        (
            "client_memory_bytes_third_3",
            "client process, at the end",
            "bytes",
            "less",
            "mean",
        ),
        (
            "client_memory_bytes_per_connection",
            "client, a connection",
            "bytes",
            "less",
            "mean",
        ),
    ),
    Group.QUEUES: (
        ("server_send_queue_bytes_max", "Send-Q, server", "bytes", "less", "sum"),
        (
            "client_receive_queue_bytes_max",
            "Recv-Q, clients",
            "bytes",
            "less",
            "sum",
        ),
        ("wire_bytes", "on the wire", "bytes", "less", "sum"),
        ("write_calls", "system calls that wrote", "count", "less", "sum"),
        ("wire_bytes_per_s", "on the wire a second", "bytes", "less", "sum"),
        ("wire_bytes_per_event", "on the wire an event", "bytes", "less", "mean"),
    ),
    Group.CONNECTIONS: (
        ("start_to_open_ms", "start to open", "ms", "less", "max"),
        ("connect_ms_p50", "median to connect", "ms", "less", "mean"),
        ("connect_ms_p99", "99th percentile to connect", "ms", "less", "max"),
        ("connect_s", "all connected after", "s", "less", "max"),
    ),
}

FIGURES: dict[str, Figure] = {
    name: Figure(
        name=name, title=title, unit=unit, better=better, group=group, of_clients=many
    )
    for group, rows in _ROWS.items()
    for name, title, unit, better, many in rows
}
"""By name, in the order in which they are shown."""
