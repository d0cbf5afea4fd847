"""The configurations of a trial's processes, and their reports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from autostrada.engine.messages import Count, LoadResult, ServeResult
from autostrada.engine.messages import Sequence as EngineSequence
from autostrada.engine.plans import (
    ADDRESS,
    ConnectionLimits,
    Plan,
    Protocol,
    Tls,
    url_of,
)
from autostrada.errors import Miscounted
from autostrada.stats.evidence import EndName
from autostrada.store.record import Observation, SecondRow, SliceRow

PACED = "paced"
DROPPING = "dropping"
"""Values of ``PACE``, for subscribers that read slowly: docs/published.md, 1.3."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Setup:
    """The settings of a trial that do not come from its workload."""

    protocol: Protocol
    limit_s: float
    """Time that a trial may take beyond its planned duration, in seconds."""

    connection_limits: ConnectionLimits
    address: str = ADDRESS
    """IP address of the server."""

    congestion_control: str | None = None
    tls: Tls | None = None
    """Certificates and keys; ``None`` if the workload does not use TLS."""

    def url(self, port: int, path: str, protocol: Protocol | None = None) -> str:
        """Return the URL of a server, by default in the protocol of the trial."""
        return url_of(
            protocol or self.protocol,
            port,
            path,
            is_over_tls=self.tls is not None,
            address=self.address,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Configuration:
    """The configuration of one process, for the engine and for a contestant."""

    plan: Plan | None
    """Plan for the engine; ``None`` if the engine cannot be this endpoint."""

    environment: Mapping[str, str] | None
    """Environment variables for a contestant (docs/contract.md); ``None`` if a
    contestant cannot be this endpoint."""

    has_result: bool = True
    """Whether the process prints a result; a server without one runs until it is
    ended."""

    has_contestant_result: bool = True
    """Whether a contestant prints a result, if the engine does."""

    is_load: bool = False
    """Whether the engine as this server executes the plan of a load."""

    may_be_cut_off: bool = False
    """Whether a client that is still receiving at the deadline is measured up to then
    instead of failing."""


class SecondReport(BaseModel):
    """The counts of one second, numbered from 0; unused keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    event: Literal["second"]
    second: Count
    messages: Count
    bytes: Count = 0
    """Payload bytes; 0 for a contestant's client of a push: docs/contract.md, 3.3."""

    read_bytes: Count = 0
    """Bytes read on the wire; only reported by the engine's client."""

    written_bytes: Count = 0
    """Bytes written on the wire; only reported by the engine's client."""

    closed: Count = 0
    """Number of connections that ended; only reported by the engine's client."""


class SequenceCounts(BaseModel):
    """Classification of received sequence numbers: docs/published.md, 2.3."""

    model_config = ConfigDict(frozen=True, strict=True)

    in_order: Count
    gaps: Count
    missing: int
    duplicates: Count
    reordered: Count
    unexpected: Count


@dataclass(frozen=True, kw_only=True, slots=True)
class ClientReport:
    """The report of one client process; times are monotonic, in nanoseconds."""

    connections: int
    messages: int
    payload_bytes: int
    wrong: int
    opened_ns: int
    """Time at which the first connection was open."""

    ready_ns: int
    """Time at which the last connection was open; ``opened_ns`` if it is unknown."""

    ended_ns: int
    """Time at which the last message was received, or the client was cut off."""

    seconds: tuple[SecondReport, ...]
    """Counts of each whole second from ``opened_ns``."""

    sequence: EngineSequence | SequenceCounts | None = None
    latencies: tuple[tuple[int, int], ...] = ()
    """Latencies of messages with a timestamp: pairs of nanoseconds and count."""

    load: LoadResult | None = None
    """The engine's complete result; ``None`` if the client is a contestant."""

    is_cut_off: bool = False
    """Whether the client was still receiving when it had to end: ``drain_s`` after the
    feed, or at the deadline. A contestant that is ended at the deadline reports only
    what it had printed by then, without latencies."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerReport:
    """The report of one server process; a message counts once per receiver."""

    messages: int
    payload_bytes: int
    seconds: tuple[SecondReport, ...]
    is_whole: bool = True
    """Whether the counts are complete: for many connections the engine reports whole
    seconds only."""

    served: tuple[ServeResult, ...] = ()
    """The engine's results, one per connection; empty for a contestant."""

    pace: str = PACED
    """How a feed treats subscribers that read slowly: docs/published.md, 1.3."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reports:
    """The reports of all processes of a trial."""

    servers: Sequence[ServerReport]
    clients: Sequence[ClientReport]
    """Reports of the clients, which are assigned to the servers in turn; those of a
    contestant come before those of the engine."""

    start_ns: int
    """Monotonic time at which the clients were started."""


START_S_MAX = 3600
"""Longest time of a start in seconds, in which its processes wait for their turns."""


SETTLE_S = 0.05
"""Time, in seconds, in which caches are filled after a change of turn, and timers that
are overdue run."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SlicePlan:
    """The slices of a trial, which is measured in turn with all others of a start."""

    driver: EndName
    """The end that is the engine, which sends and counts the messages."""

    warm_up_s: float
    rounds: int
    """Number of slices."""

    slice_s: float
    """Length of a slice, in seconds."""

    settle_s: float = SETTLE_S
    """Time before each slice that does not count, in seconds."""

    drain_s: float
    """Longest time for outstanding answers after a slice, in seconds."""

    first_messages: int | None = None
    """Number of messages before the warm-up, a cold start; ``None`` for none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """The measured window of a trial, by the engine's monotonic clock."""

    start_ns: int
    duration_ns: int

    @property
    def end_ns(self) -> int:
        """End of the window."""
        return self.start_ns + self.duration_ns


@dataclass(frozen=True, kw_only=True, slots=True)
class EndPlacement:
    """One end of a trial: whether it is the engine, and the cores that it may use."""

    is_engine: bool
    cpus: frozenset[int]
    cpu_share_max: float | None = None
    """CPU time per second that it may use, as a share of one core; ``None`` for no
    limit."""

    @property
    def cpus_without_limit(self) -> frozenset[int]:
        """The cores that it may use, if there is no limit to its CPU time."""
        return self.cpus if self.cpu_share_max is None else frozenset()


@dataclass(frozen=True, kw_only=True, slots=True)
class WindowObservation:
    """The observation of a trial, its ends and its window."""

    observation: Observation
    ends: Mapping[EndName, EndPlacement]
    window: Window
    reference_cpus: frozenset[int] = frozenset()
    """Cores of the engine's clients beside those of a contestant, if it has any."""

    has_served: bool = False
    """Whether the servers had served another trial before."""

    slices: Sequence[SliceRow] = ()
    """The counted slices, whose sum is the window; empty if it was not divided."""

    slices_busy_ns: int = 0
    """Time in which the engine that carried out the slices was busy in them."""

    before_slices: SliceRow | None = None
    """What was exchanged just before the first slice, while no other trial ran."""

    settling: Sequence[SliceRow] = ()
    """What was exchanged at the beginning of each turn, before its slice."""


def second_rows(process: str, seconds: Sequence[SecondReport]) -> list[SecondRow]:
    """Convert the reported seconds of a process to rows of the store."""
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
    Return the reported seconds and a last, partial one with the rest of the totals.

    Raises:
        Miscounted: the seconds are out of order, or their sum exceeds the totals.
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
