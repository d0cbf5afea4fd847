"""Latencies as counts of rounded nanoseconds: docs/published.md, clause 2.3."""

from __future__ import annotations

DIGITS = 3


def round_latency(latency_ns: int) -> int:
    """Round to three significant digits; a half is rounded up."""
    unit: int = 10 ** max(0, len(str(latency_ns)) - DIGITS)
    return (latency_ns + unit // 2) // unit * unit


class Latencies:
    """Number of messages per rounded latency."""

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}

    def record(self, latency_ns: int) -> None:
        """Count one latency in nanoseconds, which must not be negative."""
        rounded_ns = round_latency(latency_ns)
        self._counts[rounded_ns] = self._counts.get(rounded_ns, 0) + 1

    def merge(self, other: Latencies) -> None:
        """Add the counts of another object."""
        # A copy, because another thread may be counting.
        for rounded_ns, count in other._counts.copy().items():
            self._counts[rounded_ns] = self._counts.get(rounded_ns, 0) + count

    def to_json(self) -> dict[str, int]:
        """Return the counts by latency, in ascending order."""
        return {str(each): self._counts[each] for each in sorted(self._counts)}
