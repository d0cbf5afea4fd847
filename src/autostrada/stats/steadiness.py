"""Whether a server holds its connections steadily under a feed, and if not, why."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from statistics import median

GROWTH_SHARE_MAX = 0.05
GROWTH_BYTES_MAX = 64 * 1024**2
"""
Memory is flat that grows by no more than the larger of the two over the second half.

A garbage collector lets a process grow between two collections, and the last rise may
not be over when the window is. V8 has a young generation of three semi-spaces of 16 MiB
(``--max-semi-space-size``), which it fills before it looks at the rest: so 64 MiB are
allowed to the smallest. A heap that is collected when it has grown by a share of itself
grows for its long-lived objects, of which a feed makes none: a twentieth is for those
that connections made. A leak adds up instead: of 10,000 messages a second, 64 bytes
each are 192 MB in the second half of ten minutes.
"""

SLICES = 10
"""Into so many the second half is cut; what is least in each is what is not garbage."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Hold:
    """What is known of a trial whose feed has an interval."""

    every_ms: float
    latency_ms_max: float
    """From when a message was due to its delivery, of the slowest."""

    delivered_messages: int
    """Those of which the latency is known."""

    late_messages: int
    """Of them: how many came later than the next one was due."""

    dropped_messages: int
    """Sent and not received."""

    backlog_messages: int
    """Due, and not there when the feed was over."""

    burst_max_messages: int
    disconnected_clients: int
    memory: Sequence["Memory"]
    """Of the server, in the order of time, over the window."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Memory:
    """What was resident at an instant."""

    at_ns: int
    resident_bytes: int


def unsteadiness(hold: Hold) -> tuple[str, ...]:
    """
    Say why a server does not hold its connections steadily; nothing where it does.

    It does where every message reaches every connection within the interval, by itself
    and not together with the next one; where no connection drops, and memory is flat.
    """
    found = []
    if hold.disconnected_clients:
        found.append(f"{_connections(hold.disconnected_clients)} dropped")
    if hold.dropped_messages:
        found.append(f"{hold.dropped_messages:,} messages were sent and did not come")
    if hold.backlog_messages:
        found.append(f"{hold.backlog_messages:,} messages were due and did not come")
    if hold.late_messages:
        share = hold.late_messages / hold.delivered_messages
        found.append(
            f"{hold.late_messages:,} messages ({share:.2%}) came later than the next "
            f"one was due: after up to {hold.latency_ms_max:,.0f} ms, and they are "
            f"{hold.every_ms:,.0f} ms apart"
        )
    if hold.burst_max_messages > 1:
        found.append(f"{hold.burst_max_messages:,} messages came at once")
    grown = _growth(hold.memory)
    if grown is not None:
        found.append(grown)
    return tuple(found)


def slope(points: Sequence[tuple[float, float]]) -> float:
    """
    Return how steep points rise: the median of the slopes of all pairs.

    It is the estimator of H. Theil (1950) and P. K. Sen (1968), which nearly three
    points in ten cannot lead astray, wherever they lie. Two of one instant have none.
    """
    slopes = [
        (second[1] - first[1]) / (second[0] - first[0])
        for first, second in combinations(points, 2)
        if second[0] != first[0]
    ]
    return median(slopes) if slopes else 0.0


def _growth(memory: Sequence[Memory]) -> str | None:
    """Say how memory grew over the second half of the time, where it is not flat."""
    if len(memory) < 2:
        return None
    middle_ns = (memory[0].at_ns + memory[-1].at_ns) / 2
    half = [each for each in memory if each.at_ns >= middle_ns]
    span_ns = half[-1].at_ns - half[0].at_ns
    grown_bytes = slope(_lows(half)) * span_ns
    share = grown_bytes / max(1, median(each.resident_bytes for each in half))
    if grown_bytes <= GROWTH_BYTES_MAX or share <= GROWTH_SHARE_MAX:
        return None
    return (
        f"the server's memory grew by {grown_bytes / 1024**2:,.0f} MiB ({share:.0%}) "
        f"in the last {span_ns / 1e9:,.0f} s"
    )


def _lows(memory: Sequence[Memory]) -> list[tuple[float, float]]:
    """Return the least of each slice of the time, and when that was."""
    first_ns = memory[0].at_ns
    slice_ns = (memory[-1].at_ns - first_ns) / SLICES + 1
    slices = groupby(memory, lambda each: (each.at_ns - first_ns) // slice_ns)
    lows = [min(samples, key=lambda each: each.resident_bytes) for _, samples in slices]
    return [(low.at_ns, low.resident_bytes) for low in lows]


def _connections(number: int) -> str:
    return f"{number:,} connection{'' if number == 1 else 's'}"
