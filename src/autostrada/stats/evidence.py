"""What is known of a trial from which its bottleneck is derived."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

EndName = Literal["client", "server"]


class Pacing(StrEnum):
    """What sets the pace of the messages that are counted."""

    CONTINUOUS = "continuous"
    """The sender sends as fast as it is let."""

    CLOSED_LOOP = "closed-loop"
    """A message is sent when another has been answered."""

    OPEN_LOOP = "open-loop"
    """Each message is due at an instant, whatever becomes of the others."""


@dataclass(frozen=True, kw_only=True, slots=True)
class End:
    """
    One end of the connections over the measured window; shares are in [0, 1].

    A share of the sockets is of the sockets in all samples. ``None`` stands for
    what could not be observed.
    """

    is_engine: bool
    cpu_cores: float | None
    """Its CPU time by the window."""

    busy_share: float | None
    """Of the engine: of the time, not waiting for events. Else of its cores, in use."""

    receive_queue_filled_share: float | None = None
    """Of the sockets: something had come that it had not read."""

    send_queue_filled_share: float | None = None
    """Of the sockets: something it had sent was not acknowledged."""

    unsent_share: float | None = None
    """Of the samples: something waited in a socket that was not even sent once."""

    receive_window_limited_share: float | None = None
    """Of the time: what it sent waited for the other end to read (RFC 9293, 3.8.6)."""

    send_buffer_limited_share: float | None = None
    """Of the time: all was sent, and its socket's buffer had no room for more."""

    retransmitted_share: float | None = None
    """Of the segments that it sent."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """All that a verdict rests on, of one trial."""

    server: End
    client: End
    sender: EndName
    """Which end sends the messages that are counted."""

    pacing: Pacing
    blocked_share: float | None = None
    """Of the time: the engine, as the sender, found no room in the socket."""

    achieved_share: float | None = None
    """Of the offered load; of an open loop only."""

    sent_share: float | None = None
    """Of what our engine offered in an open loop: what it sent."""

    engine_limit: str = ""
    """How the engine was the limit as it reports; ``""`` where it says nothing."""

    disturbance: str = ""
    """What disturbed the machine, in words; ``""`` where nothing did."""

    faults: str = ""
    """What broke, in words: loss, disconnects, errors; ``""`` where nothing did."""

    def end(self, name: EndName) -> End:
        """Return one of the two ends."""
        return self.server if name == "server" else self.client

    @property
    def receiver(self) -> EndName:
        """Which end receives the messages that are counted."""
        return "client" if self.sender == "server" else "server"


def worked_ns(*, span_ns: int, busy_ns: int, idle_ns: int, steal_ns: int) -> int:
    """
    Return how long cores worked in a span of time: all are of all cores together.

    Where an idle core has no tick, what idle and stolen time leave over is exact but
    for the ticks in which it is told. What is counted as busy is drawn at each tick:
    work that keeps time with the tick is found by every one, and counts as all there
    is. The smaller one is believed.
    """
    return max(0, min(busy_ns, span_ns - idle_ns - steal_ns))
