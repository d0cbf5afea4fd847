"""Extracts the metrics that decide about a case from a client's result."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autostrada.stats.buckets import Buckets

Document = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """The metrics of a client's result; 0 if the workload does not have a metric."""

    messages: int
    sent: int
    echoed: int
    unsent: int
    overdue: int
    offered_rate_per_s: float
    achieved_rate_per_s: float
    backlog_at_window_end: int
    response_time_ns: Buckets
    service_time_ns: Buckets
    send_delay_ns: Buckets
    missing: int
    gaps: int
    duplicates: int
    reordered: int
    unexpected: int
    wrong: int
    failures: Mapping[str, int]
    judged: int
    on_time: int
    burst_max: int
    generator_limited: str | None

    @property
    def has_left_out(self) -> bool:
        """Whether the client did not send all due messages."""
        return self.unsent > 0 or self.overdue > 0


def read(result: Document) -> Reading:
    """Return the metrics of a ``result`` line."""
    exchange: Document = result["exchange"] or {}
    sequence: Document = result["sequence"] or {}
    regularity: Document = result["regularity"] or {}
    return Reading(
        messages=result["messages"],
        sent=exchange.get("sent", 0),
        echoed=exchange.get("echoed", 0),
        unsent=exchange.get("unsent", 0),
        overdue=exchange.get("overdue", 0),
        offered_rate_per_s=exchange.get("offered_rate_per_s") or 0.0,
        achieved_rate_per_s=exchange.get("achieved_rate_per_s") or 0.0,
        backlog_at_window_end=exchange.get("backlog", {}).get("at_window_end", 0),
        response_time_ns=_buckets(exchange, "response_time_ns"),
        service_time_ns=_buckets(exchange, "service_time_ns"),
        send_delay_ns=_buckets(exchange, "send_delay_ns"),
        missing=sequence.get("missing", 0),
        gaps=sequence.get("gaps", 0),
        duplicates=sequence.get("duplicates", 0),
        reordered=sequence.get("reordered", 0),
        unexpected=sequence.get("unexpected", 0),
        wrong=result["wrong"],
        failures={failure["kind"]: failure["count"] for failure in result["failures"]},
        judged=regularity.get("judged", 0),
        on_time=regularity.get("on_time", 0),
        burst_max=regularity.get("burst_max", 0),
        generator_limited=result["generator_limited"],
    )


def _buckets(document: Document, key: str) -> Buckets:
    return Buckets(tuple((lowest, count) for lowest, count in document.get(key) or ()))


NOTHING_READ = read(
    {
        "messages": 0,
        "exchange": None,
        "sequence": None,
        "regularity": None,
        "wrong": 0,
        "failures": [],
        "generator_limited": None,
    }
)
"""The reading of a client that measures nothing itself."""
