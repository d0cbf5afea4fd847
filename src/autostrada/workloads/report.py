"""What the processes of a trial are configured with, and what they report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from autostrada.engine.messages import Count, LoadResult, ServeResult
from autostrada.engine.plans import Plan, Protocol, Room, Tls
from autostrada.errors import Miscounted
from autostrada.stats.evidence import EndName
from autostrada.store.record import Observation
from autostrada.store.record import Second as SecondRow


@dataclass(frozen=True, kw_only=True, slots=True)
class Setup:
    """What the configurations of a trial depend on beside its workload."""

    protocol: Protocol
    limit_s: float
    """How much longer than by its plan a trial may take."""

    room: Room
    congestion_control: str | None = None
    tls: Tls | None = None
    """Of servers that speak TLS, where this workload is over TLS."""

    stocks_file: str = ""
    """Where contestants find the records of the feed of that name."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Configuration:
    """What one process is configured with; ``None`` where it cannot take part."""

    plan: Plan | None
    """Of the engine."""

    environment: Mapping[str, str] | None
    """Of a contestant: docs/contract.md, 3 to 8."""

    has_result: bool = True
    """Whether it prints a result; a server that does not is only expected to serve."""

    may_be_cut_off: bool = False
    """Whether a client counts that is still receiving when its time is over."""


class SecondReport(BaseModel):
    """What was counted in one second, from 0, as far as it is used."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    event: Literal["second"]
    second: Count
    messages: Count
    bytes: Count = 0
    """Not of a contestant that is pushed to: docs/contract.md, 3.2."""

    read_bytes: Count = 0
    """On the wire, here and below; only of the engine's client."""

    written_bytes: Count = 0
    closed: Count = 0
    """Connections that ended; only of the engine's client."""


class SequenceCounts(BaseModel):
    """Verdicts on the numbers of messages: docs/contract.md, 7.3."""

    model_config = ConfigDict(frozen=True, strict=True)

    in_order: Count
    gaps: Count
    missing: int
    duplicates: Count
    reordered: Count
    unexpected: Count


@dataclass(frozen=True, kw_only=True, slots=True)
class ClientReport:
    """What one client process received."""

    connections: int
    messages: int
    payload_bytes: int
    wrong: int
    opened_ns: int
    """When the first of its connections was open."""

    ready_ns: int
    """When the last was, as far as it says so; else as ``opened_ns``."""

    ended_ns: int
    """When the last message came, or when it was cut off."""

    seconds: tuple[SecondReport, ...]
    """They begin with ``opened_ns``."""

    sequence: SequenceCounts | None = None
    latencies: tuple[tuple[int, int], ...] = ()
    """Of messages that have an instant: nanoseconds, and how many."""

    load: LoadResult | None = None
    """Its result as it is, where the engine is the client."""

    is_cut_off: bool = False
    """It was still receiving when its time was over: what it had reported by then
    counts, and its latencies are not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerReport:
    """What one server process has sent, each receiver counted."""

    messages: int
    payload_bytes: int
    seconds: tuple[SecondReport, ...]
    is_whole: bool = True
    """Whether that is all: of many connections the engine tells whole seconds only."""

    served: tuple[ServeResult, ...] = ()
    """The engine's results, one a connection."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reports:
    """What all processes of a trial report."""

    servers: Sequence[ServerReport]
    clients: Sequence[ClientReport]
    """They were given to the server's processes in turn."""

    start_ns: int
    """When the clients were let start."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """The measured time of a trial, by the engine's clock."""

    start_ns: int
    duration_ns: int

    @property
    def end_ns(self) -> int:
        """When it is over."""
        return self.start_ns + self.duration_ns


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Who one end of a trial is, and which cores it may use."""

    is_engine: bool
    cpus: frozenset[int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Observed:
    """What was seen of a trial from outside, and who was seen."""

    observation: Observation
    ends: Mapping[EndName, Place]
    window: Window


def second_rows(process: str, seconds: Sequence[SecondReport]) -> list[SecondRow]:
    """Return the seconds that a process has printed, as they are stored."""
    return [
        SecondRow(
            process=process, second=row.second, messages=row.messages, bytes=row.bytes
        )
        for row in seconds
    ]


def whole_series(
    process: str, seconds: Sequence[SecondReport], messages: int, payload_bytes: int
) -> list[SecondRow]:
    """
    Add to the printed seconds the last one, which is not whole.

    Raises:
        Miscounted: the seconds are not in order, or are more than the total.
    """
    rows = second_rows(process, seconds)
    left = SecondRow(
        process=process,
        second=len(rows),
        messages=messages - sum(row.messages for row in rows),
        bytes=payload_bytes - sum(row.bytes for row in rows),
    )
    in_order = [row.second for row in rows] == list(range(len(rows)))
    if not in_order or min(left.messages, left.bytes) < 0:
        raise Miscounted("its seconds do not add up to its result")
    return [*rows, left]
