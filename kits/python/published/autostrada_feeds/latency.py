"""Rounds the latencies that are counted: docs/published.md, clause 2.3."""

from __future__ import annotations

DIGITS = 3


def round_latency(latency_ns: int) -> int:
    """Round to three significant digits; a half is rounded up."""
    unit: int = 10 ** max(0, len(str(latency_ns)) - DIGITS)
    return (latency_ns + unit // 2) // unit * unit
