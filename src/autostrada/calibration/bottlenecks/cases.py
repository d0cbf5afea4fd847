"""The trials with a known bottleneck, each with the plans of its two ends."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from autostrada.calibration.fault_cases import NONE, FaultTopology
from autostrada.stats.evidence import EndName
from autostrada.stats.verdict import Bottleneck

WINDOW_S = 1.0
FULL_TRIALS = 20
TRIALS = 3
QUICK_TRIALS = 1

LARGE = MappingProxyType({"text": "x" * 16_384})
"""A message that fills buffers and costs a reader little CPU time per byte."""

MANY = 1_000_000
"""More messages than are received during a trial."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownBottleneck:
    """One trial: its bottleneck, and the keys that it adds to the plans of its ends."""

    bottleneck: Bottleneck
    topology: FaultTopology = FaultTopology.ENGINE
    measuring_side: EndName = "client"
    """The end at which the engine measures; the other one takes the contestant's
    place."""

    server: Mapping[str, object] = field(default_factory=lambda: NONE)
    """Keys added to the server's plan."""

    path: str = "/echo"
    client: Mapping[str, object] = field(default_factory=lambda: NONE)
    """Keys added to the client's plan."""

    is_throttled: bool = False
    """Whether the trial uses its own network, with a low bandwidth."""

    is_core_shared: bool = False
    """Whether another process keeps the core of the measured end busy."""

    @property
    def name(self) -> str:
        """Name on the command line and in the store."""
        parts = self.bottleneck.value.lower().split()
        return "-".join(["verdict", *parts])


def known_bottlenecks() -> list[KnownBottleneck]:
    """Return one trial per bottleneck, in the order in which a verdict checks them."""
    return [
        KnownBottleneck(
            bottleneck=Bottleneck.BROKEN,
            server={"faults": {"close_after": 200}},
            client={"connections": 4, "workload": _open_loop(1000)},
        ),
        KnownBottleneck(
            bottleneck=Bottleneck.MACHINE,
            client={"connections": 4, "workload": _echo(window=8)},
            is_core_shared=True,
        ),
        *_busy(),
        KnownBottleneck(
            bottleneck=Bottleneck.LOAD_SUSTAINED,
            client={"connections": 4, "workload": _open_loop(500)},
        ),
        *_blocked_pushes(),
        KnownBottleneck(
            bottleneck=Bottleneck.ROUND_TRIP,
            server={"faults": {"delay_ms": 5}},
            client={"connections": 4, "workload": _echo(window=1)},
        ),
        KnownBottleneck(
            bottleneck=Bottleneck.SEND_RATE,
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


def _busy() -> list[KnownBottleneck]:
    """Return trials in which one end uses all of its CPU time."""
    return [
        KnownBottleneck(
            bottleneck=Bottleneck.LOAD_GENERATOR,
            measuring_side="server",
            server={"workload": {"kind": "push", "frames_per_write": "one"}},
            path="/600000",
            client={"workload": {"kind": "receive", "messages": 600_000}},
        ),
        KnownBottleneck(
            bottleneck=Bottleneck.SERVER_CPU,
            topology=FaultTopology.PEER_SERVER,
            server={"slowness": {"burn_us": 200}},
            client={"connections": 4, "workload": _echo(window=8)},
        ),
        KnownBottleneck(
            bottleneck=Bottleneck.CLIENT_CPU,
            topology=FaultTopology.PEER_CLIENT,
            measuring_side="server",
            path="/20000",
            client={
                "slowness": {"burn_us": 50},
                "workload": {"kind": "receive", "messages": 20_000},
            },
        ),
    ]


def _blocked_pushes() -> list[KnownBottleneck]:
    """Return trials in which a push waits although both ends have CPU time left."""
    push = {"kind": "push", "payload": dict(LARGE)}
    return [
        KnownBottleneck(
            bottleneck=Bottleneck.RECEIVE_WINDOW,
            topology=FaultTopology.PEER_CLIENT,
            measuring_side="server",
            server={"workload": push},
            path="/300",
            client={
                "slowness": {"rest_ms": 4},
                "tcp": {"receive_buffer_bytes": 65_536},
                "workload": {"kind": "receive", "messages": 300},
            },
        ),
        # The buffer holds one segment, which the receiver's kernel acknowledges late,
        # because it waits for a second one (RFC 9293, 3.8.6.3).
        KnownBottleneck(
            bottleneck=Bottleneck.SEND_BUFFER,
            measuring_side="server",
            server={
                "workload": {"kind": "push", "payload": {"text": "x" * 1000}},
                "tcp": {"send_buffer_bytes": 4608},
            },
            path="/2500",
            client={"workload": {"kind": "receive", "messages": 2500}},
        ),
        KnownBottleneck(
            bottleneck=Bottleneck.NETWORK,
            measuring_side="server",
            server={"workload": push},
            path="/200",
            client={"workload": {"kind": "receive", "messages": 200}},
            is_throttled=True,
        ),
    ]


def _echo(*, window: int) -> dict[str, object]:
    return {"kind": "echo", "window": window, "phases": {"window_s": WINDOW_S}}


def _open_loop(rate_per_s: int) -> dict[str, object]:
    return {
        "kind": "echo",
        "schedule": {"kind": "constant", "rate_per_s": rate_per_s},
        "phases": {"window_s": WINDOW_S},
    }
