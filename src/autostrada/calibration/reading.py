"""From the result of a client to the figures that a weight is judged by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Buckets:
    """Durations as ``docs/format.md`` has them: lowest nanosecond and count."""

    pairs: Sequence[tuple[int, int]] = ()

    @property
    def count(self) -> int:
        """How many durations there are."""
        return sum(count for _, count in self.pairs)

    @property
    def longest_ns(self) -> int:
        """The longest duration, or 0."""
        return max((_middle(lowest) for lowest, _ in self.pairs), default=0)

    def quantile_ns(self, quantile: float) -> int:
        """
        Return the duration below which so many of all lie, or 0 where there is none.

        It is the middle of its bucket, whose width is less than a thousandth of it.
        """
        rank = quantile * self.count
        seen = 0
        for lowest, count in sorted(self.pairs):
            seen += count
            if seen >= rank:
                return _middle(lowest)
        return 0

    def count_from(self, duration_ns: int) -> int:
        """Return how many durations are so long or longer."""
        return sum(
            count for lowest, count in self.pairs if _middle(lowest) >= duration_ns
        )


def into_buckets(durations_ns: Sequence[int]) -> list[tuple[int, int]]:
    """Return the buckets that durations fall into."""
    counts: dict[int, int] = {}
    for duration_ns in durations_ns:
        lowest = duration_ns - duration_ns % _width(duration_ns)
        counts[lowest] = counts.get(lowest, 0) + 1
    return sorted(counts.items())


def _width(duration_ns: int) -> int:
    return 1 << max(0, duration_ns.bit_length() - 11)


def _middle(lowest_ns: int) -> int:
    return lowest_ns + _width(lowest_ns) // 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What a client has reported; 0 where a workload has no such figure."""

    messages: int
    sent: int
    echoed: int
    unsent: int
    overdue: int
    offered_rate_per_s: float
    achieved_rate_per_s: float
    response_time_ns: Buckets
    service_time_ns: Buckets
    lateness_ns: Buckets
    missing: int
    gaps: int
    repeats: int
    disorders: int
    strays: int
    wrong: int
    failures: Mapping[str, int]
    judged: int
    on_time: int
    clump_max: int
    generator_limited: str | None

    @property
    def has_left_out(self) -> bool:
        """Whether the client did not send all that was due."""
        return self.unsent > 0 or self.overdue > 0


def read(result: Document) -> Reading:
    """Take the figures out of a ``result`` line."""
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
        response_time_ns=_buckets(exchange, "response_time_ns"),
        service_time_ns=_buckets(exchange, "service_time_ns"),
        lateness_ns=_buckets(exchange, "lateness_ns"),
        missing=sequence.get("missing", 0),
        gaps=sequence.get("gaps", 0),
        repeats=sequence.get("repeats", 0),
        disorders=sequence.get("disorders", 0),
        strays=sequence.get("strays", 0),
        wrong=result["wrong"],
        failures={each["kind"]: each["count"] for each in result["failures"]},
        judged=regularity.get("judged", 0),
        on_time=regularity.get("on_time", 0),
        clump_max=regularity.get("clump_max", 0),
        generator_limited=result["generator_limited"],
    )


def _buckets(document: Document, key: str) -> Buckets:
    return Buckets(tuple((lowest, count) for lowest, count in document.get(key) or ()))
