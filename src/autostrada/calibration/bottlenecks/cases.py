"""The known limits: what holds each trial back, and what its two ends are given."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from autostrada.calibration.fault_cases import NONE, Arrangement
from autostrada.stats.evidence import EndName
from autostrada.stats.verdict import Limit

WINDOW_S = 1.0
FULL_TRIALS = 20
TRIALS = 3
QUICK_TRIALS = 1

LARGE = MappingProxyType({"text": "x" * 16_384})
"""A message that fills buffers, and costs a reader little for each byte."""

MANY = 1_000_000
"""More messages than come in the time of a trial."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownLimit:
    """One trial: its limit, and the plans of its ends beside what all plans have."""

    limit: Limit
    arrangement: Arrangement = Arrangement.ENGINE
    referee: EndName = "client"
    """Which of the ends is the engine as the engine: the other one is measured."""

    server: Mapping[str, object] = field(default_factory=lambda: NONE)
    path: str = "/echo"
    client: Mapping[str, object] = field(default_factory=lambda: NONE)
    is_throttled: bool = False
    """On a network of its own that lets little through."""

    is_burnt: bool = False
    """Another process works on the core of the one that is measured."""

    @property
    def name(self) -> str:
        """What it is called on the command line and in the store."""
        words = self.limit.value.lower().replace("'", "").split()
        return "-".join(["verdict", *words])


def known_limits() -> list[KnownLimit]:
    """Return one trial for each limit, in the order in which a verdict asks."""
    return [
        KnownLimit(
            limit=Limit.BROKEN,
            server={"faults": {"close_after": 200}},
            client={"connections": 4, "workload": _bots(1000)},
        ),
        KnownLimit(
            limit=Limit.MACHINE,
            client={"connections": 4, "workload": _echo(window=8)},
            is_burnt=True,
        ),
        *_busy(),
        KnownLimit(
            limit=Limit.OFFERED_LOAD,
            client={"connections": 4, "workload": _bots(500)},
        ),
        *_held_up(),
        KnownLimit(
            limit=Limit.ROUND_TRIP,
            server={"faults": {"delay_ms": 5}},
            client={"connections": 4, "workload": _echo(window=1)},
        ),
        KnownLimit(
            limit=Limit.SENDER_PACE,
            server={
                "faults": {"rate_per_s": 1000},
                "feed": {"kind": "sequence", "messages": MANY},
            },
            path="/feed",
            client={
                "workload": {
                    "kind": "receive",
                    "feed": {"kind": "sequence"},
                    "phases": {"window_s": WINDOW_S},
                }
            },
        ),
    ]


def _busy() -> list[KnownLimit]:
    """An end that has no time left."""
    return [
        KnownLimit(
            limit=Limit.ENGINE,
            referee="server",
            server={"workload": {"kind": "push", "frames_per_write": "one"}},
            path="/600000",
            client={"workload": {"kind": "receive", "messages": 600_000}},
        ),
        KnownLimit(
            limit=Limit.SERVER_CPU,
            arrangement=Arrangement.TWIN_SERVER,
            server={"slowness": {"burn_us": 200}},
            client={"connections": 4, "workload": _echo(window=8)},
        ),
        KnownLimit(
            limit=Limit.CLIENT_CPU,
            arrangement=Arrangement.TWIN_CLIENT,
            referee="server",
            path="/20000",
            client={
                "slowness": {"burn_us": 50},
                "workload": {"kind": "receive", "messages": 20_000},
            },
        ),
    ]


def _held_up() -> list[KnownLimit]:
    """A push that waits, while both ends have time."""
    push = {"kind": "push", "payload": dict(LARGE)}
    return [
        KnownLimit(
            limit=Limit.RECEIVE_WINDOW,
            arrangement=Arrangement.TWIN_CLIENT,
            referee="server",
            server={"workload": push},
            path="/300",
            client={
                "slowness": {"rest_ms": 4},
                "tcp": {"receive_buffer_bytes": 65_536},
                "workload": {"kind": "receive", "messages": 300},
            },
        ),
        # The kernel acknowledges the one segment that the buffer holds late: it waits
        # for a second one (RFC 9293, 3.8.6.3).
        KnownLimit(
            limit=Limit.SEND_BUFFER,
            referee="server",
            server={
                "workload": {"kind": "push", "payload": {"text": "x" * 1000}},
                "tcp": {"send_buffer_bytes": 4608},
            },
            path="/2500",
            client={"workload": {"kind": "receive", "messages": 2500}},
        ),
        KnownLimit(
            limit=Limit.NETWORK,
            referee="server",
            server={"workload": push},
            path="/200",
            client={"workload": {"kind": "receive", "messages": 200}},
            is_throttled=True,
        ),
    ]


def _echo(*, window: int) -> dict[str, object]:
    return {"kind": "echo", "window": window, "phases": {"window_s": WINDOW_S}}


def _bots(rate_per_s: int) -> dict[str, object]:
    return {
        "kind": "bots",
        "schedule": {"kind": "constant", "rate_per_s": rate_per_s},
        "phases": {"window_s": WINDOW_S},
    }
