"""The weights: faults of known size, and the load under which each is weighed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Literal

MIB = 1024 * 1024
ONE_IN = 7
"""Of counted faults: one message in so many."""

STALL_MS = 100
PAUSE_MS = 100
CLUMP = 5
DELAYED_PER_S = 3500
"""
A delay of 1 ms is three and a half intervals of it.

Where it is a whole number of them, an answer is due when the next message comes. The
server is awake for either, and does not need to be woken as in the control.
"""

NONE: Mapping[str, object] = MappingProxyType({})


class Arrangement(StrEnum):
    """Who misbehaves and who measures it; one of the two is always the engine."""

    ENGINE = "engine's server"
    """The engine's client measures the engine's server."""

    TWIN_SERVER = "twin's server"
    """The engine's client measures a server on another library."""

    TWIN_CLIENT = "twin's client"
    """A client on another library measures the engine's server."""


class Kind(StrEnum):
    """What must be reported of a weight."""

    HEALTHY = "healthy"
    DELAY = "delay"
    STALL = "stall"
    STALL_CLOSED = "stall-closed"
    PAUSE = "pause"
    LOSE = "lose"
    REPEAT = "repeat"
    SWAP = "swap"
    CORRUPT = "corrupt"
    CLUMP = "clump"
    RATE = "rate"
    GROW = "grow"
    CLOSE = "close"
    ABORT = "abort"


TIMED = frozenset(
    {
        Kind.HEALTHY,
        Kind.DELAY,
        Kind.STALL,
        Kind.STALL_CLOSED,
        Kind.PAUSE,
        Kind.CLUMP,
        Kind.RATE,
    }
)
"""Kinds whose figures are durations or rates: what else runs may change them."""

CONTROLLED = frozenset({Kind.DELAY, Kind.GROW})
"""Kinds that are weighed against a healthy control, before and after."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Feed:
    """What the server publishes; without an interval as fast as it is taken."""

    kind: Literal["sequence", "clock"] = "sequence"
    messages: int
    every_ms: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Weight:
    """One fault and how it is weighed."""

    name: str
    kind: Kind
    arrangement: Arrangement = Arrangement.ENGINE
    faults: Mapping[str, object] = field(default_factory=lambda: NONE)
    connections: int = 1
    window_s: float = 1.0
    drain_s: float = 2.0
    rate_per_s: int | None = None
    """Of all connections together; without it a closed loop, or a feed."""

    feed: Feed | None = None
    """What is received; without it, messages are sent to be echoed."""

    @property
    def is_timed(self) -> bool:
        """Whether a disturbance of the machine may change its figures."""
        return self.kind in TIMED

    @property
    def messages(self) -> int:
        """How many messages are sent, on all connections together."""
        if self.feed is not None:
            return self.feed.messages * self.connections
        return round((self.rate_per_s or 0) * self.window_s)


def weights(*, is_quick: bool = False) -> list[Weight]:
    """Return all weights in the order in which they are weighed."""
    return [
        *_by_the_engine(is_quick=is_quick),
        *_by_the_twins_server(is_quick=is_quick),
        *_by_the_twins_client(is_quick=is_quick),
    ]


def _by_the_engine(*, is_quick: bool) -> list[Weight]:
    window_s = 0.4 if is_quick else 1.0
    short_s = 0.25 if is_quick else 0.5
    return [
        Weight(
            name="healthy-echo", kind=Kind.HEALTHY, rate_per_s=4000, window_s=window_s
        ),
        Weight(
            name="healthy-feed",
            kind=Kind.HEALTHY,
            feed=Feed(kind="clock", messages=40 if is_quick else 100, every_ms=10),
        ),
        *(
            Weight(
                name=f"delay-{delay_ms}ms",
                kind=Kind.DELAY,
                faults={"delay_ms": delay_ms},
                rate_per_s=DELAYED_PER_S,
                window_s=window_s,
            )
            for delay_ms in (1, 20, 200)
        ),
        _stall(Arrangement.ENGINE, 1000, is_quick=is_quick),
        _stall(Arrangement.ENGINE, None, is_quick=is_quick),
        Weight(
            name=f"pause-{PAUSE_MS}ms", kind=Kind.PAUSE, rate_per_s=1000, window_s=1.2
        ),
        *_counted(Arrangement.ENGINE, 4, 4000, short_s),
        *_fed(Arrangement.ENGINE, 3, 20_003),
        _clump(Arrangement.ENGINE, is_quick=is_quick),
        Weight(
            name="rate-1000",
            kind=Kind.RATE,
            faults={"rate_per_s": 1000},
            rate_per_s=2000,
            window_s=0.8 if is_quick else 2.0,
            drain_s=0,
        ),
        Weight(
            name="grow-32KiB",
            kind=Kind.GROW,
            faults={"grow_bytes": 32_768},
            rate_per_s=4000,
            window_s=short_s,
        ),
        *_ended(Arrangement.ENGINE),
    ]


def _by_the_twins_server(*, is_quick: bool) -> list[Weight]:
    there = Arrangement.TWIN_SERVER
    return [
        _healthy(there),
        *_delays(there, is_quick=is_quick),
        _stall(there, 1000, is_quick=is_quick),
        *_counted(there, 4, 1000, 0.4 if is_quick else 0.6),
        *_fed(there, 3, 2003),
        _clump(there, is_quick=is_quick),
        *_ended(there),
    ]


def _by_the_twins_client(*, is_quick: bool) -> list[Weight]:
    there = Arrangement.TWIN_CLIENT
    return [
        _healthy(there),
        *_delays(there, is_quick=is_quick),
        _stall(there, 200, is_quick=is_quick),
        *_counted(there, 4, 1000, 0.4 if is_quick else 0.6),
        *_fed(there, 3, 2003),
        *_ended(there),
    ]


def _healthy(arrangement: Arrangement) -> Weight:
    return Weight(
        name="healthy-echo",
        kind=Kind.HEALTHY,
        arrangement=arrangement,
        rate_per_s=500,
        window_s=0.4,
    )


def _delays(arrangement: Arrangement, *, is_quick: bool) -> list[Weight]:
    return [
        Weight(
            name=f"delay-{delay_ms}ms",
            kind=Kind.DELAY,
            arrangement=arrangement,
            faults={"delay_ms": delay_ms},
            rate_per_s=500,
            window_s=0.4 if is_quick else 1.0,
        )
        for delay_ms in ((20,) if is_quick else (20, 200))
    ]


def _stall(
    arrangement: Arrangement, rate_per_s: int | None, *, is_quick: bool
) -> Weight:
    """The window ends half an interval after its second stall: no third is near."""
    every_ms = 400 if is_quick else 1000
    return Weight(
        name=f"stall-{STALL_MS}ms" if rate_per_s else "stall-closed",
        kind=Kind.STALL if rate_per_s else Kind.STALL_CLOSED,
        arrangement=arrangement,
        faults={"stall": {"every_ms": every_ms, "for_ms": STALL_MS}},
        rate_per_s=rate_per_s,
        window_s=2.5 * every_ms / 1000,
    )


def _counted(
    arrangement: Arrangement, connections: int, rate_per_s: int, window_s: float
) -> list[Weight]:
    """No connection's messages are a multiple of K: none is held back at the end."""
    assert round(rate_per_s * window_s) % connections == 0
    assert round(rate_per_s * window_s) // connections % ONE_IN != 0
    return [
        Weight(
            name=f"{kind}-echo",
            kind=kind,
            arrangement=arrangement,
            faults={f"{kind}_every": ONE_IN},
            connections=connections,
            rate_per_s=rate_per_s,
            window_s=window_s,
            drain_s=0.3,
        )
        for kind in (Kind.LOSE, Kind.REPEAT, Kind.SWAP, Kind.CORRUPT)
    ]


def _fed(arrangement: Arrangement, connections: int, messages: int) -> list[Weight]:
    assert messages % ONE_IN != 0
    return [
        Weight(
            name=f"{kind}-feed",
            kind=kind,
            arrangement=arrangement,
            faults={f"{kind}_every": ONE_IN},
            connections=connections,
            feed=Feed(messages=messages),
        )
        for kind in (Kind.LOSE, Kind.REPEAT, Kind.SWAP, Kind.CORRUPT)
    ]


def _clump(arrangement: Arrangement, *, is_quick: bool) -> Weight:
    """The interval of the twin is longer: its timers are a millisecond late."""
    every_ms = 10 if arrangement is Arrangement.ENGINE else 20
    return Weight(
        name=f"clump-{CLUMP}",
        kind=Kind.CLUMP,
        arrangement=arrangement,
        faults={"clump": CLUMP},
        feed=Feed(
            kind="clock",
            messages=(400 if is_quick else 1000) // every_ms,
            every_ms=every_ms,
        ),
    )


def _ended(arrangement: Arrangement) -> list[Weight]:
    """
    Each connection ends after so many messages, long before the window does.

    They are far apart: one that is sent after the end would take what was received
    before it along.
    """
    return [
        Weight(
            name=f"{kind}-after-5",
            kind=kind,
            arrangement=arrangement,
            faults={f"{kind}_after": 5},
            connections=10,
            rate_per_s=200,
            window_s=0.5,
            drain_s=0.5,
        )
        for kind in (Kind.CLOSE, Kind.ABORT)
    ]
