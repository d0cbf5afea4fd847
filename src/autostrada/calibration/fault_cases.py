"""Fault cases: faults of known size, each with the load under which it is measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Literal

ONE_IN = 7
"""Counted faults affect one message in this number of messages."""

STALL_MS = 100
PAUSE_MS = 100
BURST = 5
CAP_PER_S = 1234
DELAYED_PER_S = 3500
"""
Rate at which a delay of 1 ms lasts three and a half intervals.

If the delay was a whole number of intervals, an answer would be due when the next
message arrives. The server would already be awake, unlike in the control.
"""

NONE: Mapping[str, object] = MappingProxyType({})


class FaultTopology(StrEnum):
    """Which side has the fault and which measures; one of them is always the engine."""

    ENGINE = "engine server"
    """The engine's client measures the engine's server."""

    PEER_SERVER = "peer server"
    """The engine's client measures a server on another library."""

    PEER_CLIENT = "peer client"
    """A client on another library measures the engine's server."""


class Kind(StrEnum):
    """The kind of a fault, which determines the expected report."""

    HEALTHY = "healthy"
    DELAY = "delay"
    STALL = "stall"
    STALL_CLOSED = "stall-closed"
    PAUSE = "pause"
    LOSE = "lose"
    REPEAT = "repeat"
    SWAP = "swap"
    CORRUPT = "corrupt"
    BURST = "burst"
    RATE = "rate"
    GROW = "grow"
    WORK = "work"
    SLICES = "slices"
    CLOSE = "close"
    ABORT = "abort"
    PUSH = "push"


TIMED = frozenset(
    {
        Kind.HEALTHY,
        Kind.DELAY,
        Kind.STALL,
        Kind.STALL_CLOSED,
        Kind.PAUSE,
        Kind.BURST,
        Kind.RATE,
    }
)
"""
Kinds whose metrics are durations or rates, which other load may change.

A push is compared with what its client did at the same time, under the same load.
"""

OBSERVED = frozenset({Kind.GROW, Kind.WORK, Kind.SLICES})
"""Kinds whose metrics are resources that the observer reports."""

CONTROLLED = OBSERVED | {Kind.DELAY}
"""Kinds that are compared with a control without a fault, before and after."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FaultFeed:
    """The feed of a server; without an interval, as fast as it is received."""

    kind: Literal["sequence", "clock"] = "sequence"
    messages: int
    every_ms: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PacedPush:
    """
    A push to a client of known speed.

    It processes the first messages at one rate, and those of slices at another.
    """

    first_messages: int = 100_000
    first_per_s: int = 300_000
    then_per_s: int = 1_000_000
    has_slices: bool = False
    """Whether slices follow; otherwise the client closes after the first messages."""

    pongs: Literal["prompt", "late", "unsent", "never"] = "prompt"
    """How the client answers pings; with ``unsent``, those due at the end are left."""

    late_s: float = 0.0
    """Delay of each pong."""

    is_bridged: bool = False
    """Whether the ends have network namespaces of their own, which a bridge joins."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FaultCase:
    """One fault and the workload with which it is measured."""

    name: str
    kind: Kind
    topology: FaultTopology = FaultTopology.ENGINE
    faults: Mapping[str, object] = field(default_factory=lambda: NONE)
    connections: int = 1
    window_s: float = 1.0
    drain_s: float = 2.0
    rate_per_s: int | None = None
    """Rate of all connections together; ``None`` for a closed loop or a feed."""

    feed: FaultFeed | None = None
    """The feed that clients receive; ``None`` for an echo."""

    push: PacedPush | None = None
    """The push that the client receives; ``None`` for the other kinds."""

    @property
    def is_timed(self) -> bool:
        """Whether other load may change the metrics."""
        return self.kind in TIMED

    @property
    def is_counted(self) -> bool:
        """Whether the metrics are the same on every machine: neither time nor CPU."""
        return not self.is_timed and self.kind not in {Kind.WORK, Kind.SLICES}

    @property
    def messages(self) -> int:
        """Number of messages on all connections together; 0 for a closed loop."""
        if self.feed is not None:
            return self.feed.messages * self.connections
        return round((self.rate_per_s or 0) * self.window_s)


def fault_cases(*, is_quick: bool = False) -> list[FaultCase]:
    """Return all fault cases in the order of their execution."""
    return [
        *_by_the_engine(is_quick=is_quick),
        *_by_the_peer(FaultTopology.PEER_SERVER, is_quick=is_quick),
        *_by_the_peer(FaultTopology.PEER_CLIENT, is_quick=is_quick),
        *_pushed(),
    ]


def _by_the_engine(*, is_quick: bool) -> list[FaultCase]:
    here = FaultTopology.ENGINE
    window_s = 0.4 if is_quick else 1.0
    short_s = 0.25 if is_quick else 0.5
    return [
        _healthy(here, 4000, window_s),
        FaultCase(
            name="healthy-feed",
            kind=Kind.HEALTHY,
            feed=FaultFeed(kind="clock", messages=40 if is_quick else 100, every_ms=10),
        ),
        *_delays(here, (1, 20, 200), DELAYED_PER_S, window_s),
        _stall(here, 1000, is_quick=is_quick),
        _stall(here, None, is_quick=is_quick),
        FaultCase(
            name=f"pause-{PAUSE_MS}ms", kind=Kind.PAUSE, rate_per_s=1000, window_s=1.2
        ),
        *_counted(here, 4, 4000, short_s),
        *_fed(here, 3, 20_003),
        _burst(here, is_quick=is_quick),
        _capped(here, is_quick=is_quick),
        FaultCase(
            name="grow-32KiB",
            kind=Kind.GROW,
            faults={"grow_bytes": 32_768},
            rate_per_s=4000,
            window_s=short_s,
        ),
        # The server's own CPU time differs by 4 ms between runs, and to wake a client
        # that slept meanwhile costs it up to 60 µs in a virtual machine.
        FaultCase(
            name="work-10ms",
            kind=Kind.WORK,
            faults={"work_us": 10_000},
            rate_per_s=50,
            window_s=1.0,
        ),
        _sliced(here),
        *_ended(here),
    ]


def _by_the_peer(topology: FaultTopology, *, is_quick: bool) -> list[FaultCase]:
    is_server = topology is FaultTopology.PEER_SERVER
    return [
        _healthy(topology, 500, 0.4),
        *_delays(
            topology, (20,) if is_quick else (20, 200), 500, 0.4 if is_quick else 1.0
        ),
        _stall(topology, 1000 if is_server else 200, is_quick=is_quick),
        *_counted(topology, 4, 1000, 0.4 if is_quick else 0.6),
        *_fed(topology, 3, 2003),
        *([_burst(topology, is_quick=is_quick)] if is_server else []),
        _capped(topology, is_quick=is_quick),
        *([_sliced(topology)] if is_server and not is_quick else []),
        *_ended(topology),
    ]


def _pushed() -> list[FaultCase]:
    late_s = 0.3
    pushes = {
        "push-two-rates": PacedPush(has_slices=True),
        "push-bridge": PacedPush(has_slices=True, is_bridged=True),
        "push-late-pongs": PacedPush(pongs="late", late_s=late_s),
        "push-left-pongs": PacedPush(pongs="unsent", late_s=late_s),
        "push-no-pongs": PacedPush(pongs="never"),
    }
    return [
        FaultCase(
            name=name, kind=Kind.PUSH, topology=FaultTopology.PEER_CLIENT, push=push
        )
        for name, push in pushes.items()
    ]


def _healthy(topology: FaultTopology, rate_per_s: int, window_s: float) -> FaultCase:
    return FaultCase(
        name="healthy-echo",
        kind=Kind.HEALTHY,
        topology=topology,
        rate_per_s=rate_per_s,
        window_s=window_s,
    )


def _delays(
    topology: FaultTopology,
    delays_ms: Sequence[int],
    rate_per_s: int,
    window_s: float,
) -> list[FaultCase]:
    return [
        FaultCase(
            name=f"delay-{delay_ms}ms",
            kind=Kind.DELAY,
            topology=topology,
            faults={"delay_ms": delay_ms},
            rate_per_s=rate_per_s,
            window_s=window_s,
        )
        for delay_ms in delays_ms
    ]


def _stall(
    topology: FaultTopology, rate_per_s: int | None, *, is_quick: bool
) -> FaultCase:
    """Return a stall; the window ends half an interval after its second stall."""
    every_ms = 400 if is_quick else 1000
    return FaultCase(
        name=f"stall-{STALL_MS}ms" if rate_per_s else "stall-closed",
        kind=Kind.STALL if rate_per_s else Kind.STALL_CLOSED,
        topology=topology,
        faults={"stall": {"every_ms": every_ms, "for_ms": STALL_MS}},
        rate_per_s=rate_per_s,
        window_s=2.5 * every_ms / 1000,
    )


def _counted(
    topology: FaultTopology, connections: int, rate_per_s: int, window_s: float
) -> list[FaultCase]:
    """
    Return the counted faults of an echo.

    The messages of a connection are not a multiple of ``ONE_IN``, so that the last one
    is never affected.
    """
    assert round(rate_per_s * window_s) % connections == 0
    assert round(rate_per_s * window_s) // connections % ONE_IN != 0
    return [
        FaultCase(
            name=f"{kind}-echo",
            kind=kind,
            topology=topology,
            faults={f"{kind}_every": ONE_IN},
            connections=connections,
            rate_per_s=rate_per_s,
            window_s=window_s,
            drain_s=0.3,
        )
        for kind in (Kind.LOSE, Kind.REPEAT, Kind.SWAP, Kind.CORRUPT)
    ]


def _fed(topology: FaultTopology, connections: int, messages: int) -> list[FaultCase]:
    assert messages % ONE_IN != 0
    return [
        FaultCase(
            name=f"{kind}-feed",
            kind=kind,
            topology=topology,
            faults={f"{kind}_every": ONE_IN},
            connections=connections,
            feed=FaultFeed(messages=messages),
        )
        for kind in (Kind.LOSE, Kind.REPEAT, Kind.SWAP, Kind.CORRUPT)
    ]


def _burst(topology: FaultTopology, *, is_quick: bool) -> FaultCase:
    """Return a burst; the peer has a longer interval, as its timers are 1 ms late."""
    every_ms = 10 if topology is FaultTopology.ENGINE else 20
    return FaultCase(
        name=f"burst-{BURST}",
        kind=Kind.BURST,
        topology=topology,
        faults={"burst": BURST},
        feed=FaultFeed(
            kind="clock",
            messages=(400 if is_quick else 1000) // every_ms,
            every_ms=every_ms,
        ),
    )


def _capped(topology: FaultTopology, *, is_quick: bool) -> FaultCase:
    """Return a limited rate; the drain leaves time for answers that must not count."""
    return FaultCase(
        name=f"rate-{CAP_PER_S}",
        kind=Kind.RATE,
        topology=topology,
        faults={"rate_per_s": CAP_PER_S},
        rate_per_s=3000,
        window_s=0.8 if is_quick else 2.0,
        drain_s=0.5,
    )


def _sliced(topology: FaultTopology) -> FaultCase:
    """
    Return work of known CPU time in slices, of a server that rests half of the time.

    The work is long beside what the server itself needs for a message, which is more
    after a rest than in the control. Each slice has three rests. A rest begins when the
    work for a message is done, and may be the last part of a slice.
    """
    return FaultCase(
        name="work-in-slices",
        kind=Kind.SLICES,
        topology=topology,
        faults={"work_us": 4000, "stall": {"every_ms": 100, "for_ms": 50}},
        window_s=0.9,
    )


def _ended(topology: FaultTopology) -> list[FaultCase]:
    """
    Return connections that end after five messages, long before the window.

    The messages are far apart, because a message that is sent after the end may discard
    data that was received before it.
    """
    return [
        FaultCase(
            name=f"{kind}-after-5",
            kind=kind,
            topology=topology,
            faults={f"{kind}_after": 5},
            connections=10,
            rate_per_s=200,
            window_s=0.5,
            drain_s=0.5,
        )
        for kind in (Kind.CLOSE, Kind.ABORT)
    ]
