"""Latencies as counts of rounded nanoseconds: contract, clause 7.5."""

from __future__ import annotations

DIGITS = 3


def round_latency(latency_ns: int) -> int:
    """Return it with three significant digits, a half rounded up."""
    unit: int = 10 ** max(0, len(str(latency_ns)) - DIGITS)
    return (latency_ns + unit // 2) // unit * unit


class Latencies:
    """How often each latency came."""

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}

    def record(self, latency_ns: int) -> None:
        """Count one; it must not be below 0."""
        rounded_ns = round_latency(latency_ns)
        self._counts[rounded_ns] = self._counts.get(rounded_ns, 0) + 1

    def merge(self, other: Latencies) -> None:
        """Add what another one has counted."""
        for rounded_ns, count in other._counts.items():
            self._counts[rounded_ns] = self._counts.get(rounded_ns, 0) + count

    def to_json(self) -> dict[str, int]:
        """Return the counts by latency, for a line."""
        return {str(each): self._counts[each] for each in sorted(self._counts)}
