"""The observations of a trial from which its bottleneck is derived."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

EndName = Literal["client", "server"]


class Pacing(StrEnum):
    """What determines when counted messages are sent."""

    CONTINUOUS = "continuous"
    """The sender sends as fast as its socket accepts messages."""

    CLOSED_LOOP = "closed-loop"
    """A message is sent when a previous one was answered."""

    OPEN_LOOP = "open-loop"
    """Each message is due at a scheduled instant, independent of other messages."""


@dataclass(frozen=True, kw_only=True, slots=True)
class End:
    """
    One end of the connections during the measured window; shares are in [0, 1].

    A share of the sockets is that of all sockets in all samples. ``None`` stands for
    a value that could not be observed.
    """

    is_engine: bool
    cpu_cores: float | None
    """CPU time divided by the length of the window."""

    utilization: float | None
    """
    Share of the time that the engine did not wait for events.

    For a contestant, it is the share of its cores that was in use.
    """

    cpu_limit_cores: float | None = None
    """Limit of its CPU time divided by time; ``None`` if only its cores limit it."""

    receive_queue_filled_share: float | None = None
    """Share of the sockets with received data that the process had not read."""

    send_queue_filled_share: float | None = None
    """Share of the sockets with sent data that was not acknowledged."""

    unsent_share: float | None = None
    """Share of the samples in which a socket had data that was not sent once."""

    receive_window_limited_share: float | None = None
    """Share of the time limited by the peer's receive window (RFC 9293, 3.8.6)."""

    send_buffer_limited_share: float | None = None
    """Share of the time that all data was sent and the send buffer was full."""

    retransmitted_share: float | None = None
    """Share of the sent segments that were retransmissions."""

    @property
    def has_sampled_sockets(self) -> bool:
        """Whether its sockets were sampled in the window."""
        filled_shares = (self.receive_queue_filled_share, self.send_queue_filled_share)
        return filled_shares != (None, None)


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """All evidence of one trial for its verdict; shares are in [0, 1]."""

    server: End
    client: End
    sender: EndName
    """The end that sends the counted messages."""

    pacing: Pacing
    blocked_share: float | None = None
    """Share of the time that the engine, as the sender, had no room in the socket."""

    achieved_share: float | None = None
    """Share of the offered load that was achieved; ``None`` without an open loop."""

    sent_share: float | None = None
    """Share of the offered load that the engine sent; ``None`` without an open loop."""

    engine_limit: str = ""
    """How the engine limited the trial, as it reports; ``""`` if it did not."""

    disturbance: str = ""
    """Description of what disturbed the machine; ``""`` if nothing did."""

    faults: str = ""
    """Description of loss, disconnects and errors; ``""`` if there were none."""

    def end(self, name: EndName) -> End:
        """Return one of the two ends."""
        return self.server if name == "server" else self.client

    @property
    def receiver(self) -> EndName:
        """The end that receives the counted messages."""
        return "client" if self.sender == "server" else "server"


def worked_ns(*, span_ns: int, busy_ns: int, idle_ns: int, steal_ns: int) -> int:
    """
    Return the time that cores worked in a span; all arguments are sums over all cores.

    The kernel offers two estimates. The span without idle and stolen time is exact up
    to the resolution of ticks if idle cores have no tick. Busy time is sampled at each
    tick: work that is synchronous with the tick is found by each sample and counted as
    full load. The smaller estimate is returned.
    """
    return max(0, min(busy_ns, span_ns - idle_ns - steal_ns))
