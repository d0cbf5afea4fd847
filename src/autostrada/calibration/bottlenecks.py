"""The trials with a known bottleneck, each with its workload and its two ends."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from autostrada.calibration.ends import Injection
from autostrada.calibration.fault_cases import FaultTopology
from autostrada.stats.verdict import Bottleneck
from autostrada.workloads.echo import Echo
from autostrada.workloads.feed import Feed
from autostrada.workloads.push import Push
from autostrada.workloads.workload import Workload

WINDOW_S = 1.0
FULL_TRIALS = 20
TRIALS = 3
QUICK_TRIALS = 1

ON_ANY_MACHINE = frozenset({Bottleneck.BROKEN, Bottleneck.MACHINE})
"""Bottlenecks that do not depend on other load of the machine."""

LARGE_BYTES = 16_384
"""Size of a message that fills buffers and costs a reader little CPU time per byte."""

MEASURING = Injection(is_measuring=True)
IN_PLACE = Injection()
"""The engine as it is, at either end."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownBottleneck:
    """One trial: its bottleneck, its workload, and what is injected into its ends."""

    bottleneck: Bottleneck
    workload: Workload
    server: Injection = IN_PLACE
    client: Injection = MEASURING
    is_throttled: bool = False
    """Whether the trial uses its own network, with a low bandwidth."""

    is_core_shared: bool = False
    """Whether another process keeps the core of the measured end busy."""

    is_counted: ClassVar[bool] = True
    """Whether one wrong verdict on an idle host decides."""

    @property
    def name(self) -> str:
        """Name on the command line and in the store."""
        return "-".join(["verdict", *self.bottleneck.value.lower().split()])

    @property
    def topology(self) -> FaultTopology:
        """Which end is the independent peer."""
        if self.server.program:
            return FaultTopology.PEER_SERVER
        is_peer = self.client.program is not None
        return FaultTopology.PEER_CLIENT if is_peer else FaultTopology.ENGINE


def known_bottlenecks() -> list[KnownBottleneck]:
    """Return one trial per bottleneck, in the order in which a verdict checks them."""
    return [
        # The answers are late, so that the connections are closed after the window.
        KnownBottleneck(
            bottleneck=Bottleneck.BROKEN,
            workload=_echo(every_ms=4),
            server=_faulty(close_after=200, delay_ms=300),
        ),
        KnownBottleneck(
            bottleneck=Bottleneck.MACHINE,
            workload=_echo(in_flight=8),
            is_core_shared=True,
        ),
        *_busy(),
        KnownBottleneck(
            bottleneck=Bottleneck.LOAD_SUSTAINED, workload=_echo(every_ms=8)
        ),
        *_blocked_pushes(),
        KnownBottleneck(
            bottleneck=Bottleneck.ROUND_TRIP,
            workload=_echo(in_flight=1),
            server=_faulty(delay_ms=5),
        ),
        KnownBottleneck(
            bottleneck=Bottleneck.SEND_RATE,
            workload=Feed(name="feed", kind="feed", feed="sequence", seconds=WINDOW_S),
            server=_faulty(rate_per_s=1000),
        ),
    ]


def _busy() -> list[KnownBottleneck]:
    """Return trials in which one end uses all of its CPU time."""
    return [
        KnownBottleneck(
            bottleneck=Bottleneck.LOAD_GENERATOR,
            workload=_push(600_000, frames_per_write="one"),
            server=MEASURING,
            client=IN_PLACE,
        ),
        KnownBottleneck(
            bottleneck=Bottleneck.SERVER_CPU,
            workload=_echo(in_flight=8),
            server=Injection(program="server", keys={"slowness": {"burn_us": 200}}),
        ),
        KnownBottleneck(
            bottleneck=Bottleneck.CLIENT_CPU,
            workload=_push(20_000),
            server=MEASURING,
            client=Injection(program="client", keys={"slowness": {"burn_us": 50}}),
        ),
    ]


def _blocked_pushes() -> list[KnownBottleneck]:
    """Return trials in which a push waits although both ends have CPU time left."""
    return [
        KnownBottleneck(
            bottleneck=Bottleneck.RECEIVE_WINDOW,
            workload=_push(300, LARGE_BYTES),
            server=MEASURING,
            client=Injection(
                program="client",
                keys={
                    "slowness": {"rest_ms": 4},
                    "tcp": {"receive_buffer_bytes": 65_536},
                },
            ),
        ),
        # The buffer holds one segment, which the receiver's kernel acknowledges late,
        # because it waits for a second one (RFC 9293, 3.8.6.3).
        KnownBottleneck(
            bottleneck=Bottleneck.SEND_BUFFER,
            workload=_push(2500, 1000),
            server=Injection(
                is_measuring=True, keys={"tcp": {"send_buffer_bytes": 4608}}
            ),
            client=IN_PLACE,
        ),
        KnownBottleneck(
            bottleneck=Bottleneck.NETWORK,
            workload=_push(200, LARGE_BYTES),
            server=MEASURING,
            client=IN_PLACE,
            is_throttled=True,
        ),
    ]


def _echo(*, in_flight: int | None = None, every_ms: float | None = None) -> Echo:
    return Echo(
        name="echo",
        kind="echo",
        connections=4,
        in_flight=in_flight,
        every_ms=every_ms,
        warm_up_s=0,
        window_s=WINDOW_S,
    )


def _push(
    messages: int,
    payload_bytes: int = 11,
    *,
    frames_per_write: Literal["many", "one"] = "many",
) -> Push:
    return Push(
        name="push",
        kind="push",
        messages=messages,
        payload_bytes=payload_bytes,
        frames_per_write=frames_per_write,
    )


def _faulty(**faults: object) -> Injection:
    return Injection(keys={"faults": faults})
