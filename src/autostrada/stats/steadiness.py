"""Whether a server holds its connections steadily under a feed, and why not."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from statistics import median

GROWTH_SHARE_MAX = 0.05
GROWTH_BYTES_MAX = 64 * 1024**2
"""
Memory is flat if it grows by at most the larger of both over the second half.

With a garbage collector, a process grows between collections, and the window may end
during such a rise. V8 has a young generation of three semi-spaces of 16 MiB
(``--max-semi-space-size``), which it fills before it collects the rest; so any process
may grow by 64 MiB. A heap that is collected after growing by a share of its size grows
with its long-lived objects. A feed creates none, so a twentieth is allowed for those of
the connections. A leak accumulates instead: at 10,000 messages per second, 64 bytes per
message are 192 MB in the second half of ten minutes.
"""

SLICES = 10
"""Number of slices of the second half; their minima contain the least garbage."""


LATE_SHARE_MAX = 0.01
"""Largest share of late messages of a steady feed: one of a hundred."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SteadinessInput:
    """The observations of a trial whose feed has an interval."""

    latency_ms_max: float
    """Longest time from when a message was due to its delivery, in milliseconds."""

    late_share: float
    """Share of the due messages that came after the next one was due, or never."""

    disconnected_clients: int
    memory: Sequence["Memory"]
    """Samples of the server's memory during the window, in order of time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Memory:
    """The resident memory of a process at one instant."""

    at_ns: int
    resident_bytes: int


def steadiness_violations(feed: SteadinessInput) -> tuple[str, ...]:
    """
    Return the reasons why a server does not hold its connections steadily, in words.

    The result is empty for a steady server: nearly all messages arrive before the next
    ones are due, no connection is closed, and memory is flat.
    """
    violations = []
    if feed.disconnected_clients:
        violations.append(f"{_connections(feed.disconnected_clients)} dropped")
    if feed.late_share > LATE_SHARE_MAX:
        violations.append(
            f"{feed.late_share:.1%} of the messages arrived after the next one was "
            f"due, or never: up to {feed.latency_ms_max:,.0f} ms late"
        )
    grown = _growth(feed.memory)
    if grown is not None:
        violations.append(grown)
    return tuple(violations)


def slope(points: Sequence[tuple[float, float]]) -> float:
    """
    Return the slope of points: the median of the slopes of all pairs.

    This estimator of H. Theil (1950) and P. K. Sen (1968) tolerates up to 29 % of
    outliers. Pairs with the same x are ignored; the slope is 0 if there are no others.
    """
    slopes = [
        (second[1] - first[1]) / (second[0] - first[0])
        for first, second in combinations(points, 2)
        if second[0] != first[0]
    ]
    return median(slopes) if slopes else 0.0


def _growth(memory: Sequence[Memory]) -> str | None:
    """Describe the growth of memory in the second half; ``None`` if it is flat."""
    if len(memory) < 2:
        return None
    middle_ns = (memory[0].at_ns + memory[-1].at_ns) / 2
    half = [reading for reading in memory if reading.at_ns >= middle_ns]
    span_ns = half[-1].at_ns - half[0].at_ns
    grown_bytes = slope(_lows(half)) * span_ns
    share = grown_bytes / max(1, median(sample.resident_bytes for sample in half))
    if grown_bytes <= GROWTH_BYTES_MAX or share <= GROWTH_SHARE_MAX:
        return None
    return (
        f"the server's memory grew by {grown_bytes / 1024**2:,.0f} MiB ({share:.0%}) "
        f"in the last {span_ns / 1e9:,.0f} s"
    )


def _lows(memory: Sequence[Memory]) -> list[tuple[float, float]]:
    """Return the minimum of each slice of time, as ``(at_ns, bytes)``."""
    first_ns = memory[0].at_ns
    slice_ns = (memory[-1].at_ns - first_ns) / SLICES + 1
    slices = groupby(memory, lambda each: (each.at_ns - first_ns) // slice_ns)
    lows = [
        min(samples, key=lambda sample: sample.resident_bytes) for _, samples in slices
    ]
    return [(low.at_ns, low.resident_bytes) for low in lows]


def _connections(number: int) -> str:
    return f"{number:,} connection{'' if number == 1 else 's'}"
