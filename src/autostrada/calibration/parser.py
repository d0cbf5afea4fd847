"""Extracts the metrics that decide about a case from the results of its ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from autostrada.stats.buckets import Buckets
from autostrada.store.record import SliceRow


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """
    One measurement: the metrics of the client's result, and metrics from other sources.

    A metric that the workload does not have is 0.
    """

    messages: int = 0
    sent: int = 0
    echoed: int = 0
    unsent: int = 0
    overdue: int = 0
    offered_rate_per_s: float = 0.0
    achieved_rate_per_s: float = 0.0
    backlog_at_window_end: int = 0
    response_time_ns: Buckets = field(default_factory=Buckets)
    service_time_ns: Buckets = field(default_factory=Buckets)
    send_delay_ns: Buckets = field(default_factory=Buckets)
    missing: int = 0
    gaps: int = 0
    duplicates: int = 0
    reordered: int = 0
    unexpected: int = 0
    wrong: int = 0
    failures: Mapping[str, int] = field(default_factory=dict)
    judged: int = 0
    on_time: int = 0
    burst_max: int = 0
    generator_limited: str | None = None
    held_ns: Sequence[int] = ()
    """Times from due to sent of each answer, as reported by the peer server."""

    growth_bytes: int = 0
    """Growth of the server's resident memory."""

    cpu_ns: int = 0
    """CPU time that the server used."""

    slices: Sequence[SliceRow] = ()
    """The slices of the window; empty for the other kinds."""

    paused_ns: int = 0
    """Time for which the client was stopped."""

    push: Mapping[str, float] = field(default_factory=dict)
    """The metrics of a push; empty for the other kinds."""


def read(result: Mapping[str, Any], **others: object) -> Reading:
    """Return the metrics of a client's ``result`` line, and ``others``."""
    exchange = result["exchange"] or {}
    found: dict[str, Any] = {
        **others,
        **result,
        **exchange,
        **(result["sequence"] or {}),
        **(result["regularity"] or {}),
        "backlog_at_window_end": exchange.get("backlog", {}).get("at_window_end", 0),
        "failures": {each["kind"]: each["count"] for each in result["failures"]},
    }
    for name in ("response_time_ns", "service_time_ns", "send_delay_ns"):
        pairs = exchange.get(name) or ()
        found[name] = Buckets(tuple((lowest, count) for lowest, count in pairs))
    metrics = {each.name: found.get(each.name) for each in fields(Reading)}
    known = {name: value for name, value in metrics.items() if value is not None}
    return Reading(**known)
