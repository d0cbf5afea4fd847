"""The base of workloads whose messages the engine sends and the other end returns."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from autostrada.engine.messages import Exchange, LoadResult
from autostrada.engine.plans import constant
from autostrada.errors import NoRate
from autostrada.stats.buckets import Buckets, Value, mean_ns, quantile_ns
from autostrada.stats.metrics import PER_CPU
from autostrada.stats.verdict import MET_SHARE_MIN
from autostrada.store.record import MetricValue
from autostrada.workloads.load import (
    SECOND_NS,
    LoadWorkload,
    WindowCounts,
    client_metric,
    growth_metrics,
)
from autostrada.workloads.payload import (
    PAYLOAD_BYTES_MAX,
    Encoding,
    Payload,
    encode,
    payload_of,
)
from autostrada.workloads.workload import Count

GREETING = Payload(text="hello world")
EVERY_MS = 1000.0

EARLY_SHARE_MAX = 0.02
"""Share of messages more than were due in a window, up to which an open loop may have
answered those that were due just before it."""


class OfferedLoad(BaseModel):
    """A load that is a share of the rate reached in another workload."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    share: Annotated[float, Field(gt=0, le=10)]
    of: str
    """Name of the other workload."""

    connections: Count | None = None
    """Number of connections that offer this share, and others in proportion; ``None``
    for those of the workload."""


class ExchangeWorkload(LoadWorkload):
    """
    The engine sends messages, which the other end returns.

    It sends on a schedule, answered or not (an open loop), or with ``in_flight`` after
    each answer (a closed loop).
    """

    sweepable: ClassVar[frozenset[str]] = frozenset(
        {"connections", "every_ms", "in_flight", "payload_bytes"}
    )

    payload: Payload | None = None
    """Each message; excludes ``payload_bytes``. Without both, it is a greeting."""

    payload_bytes: Annotated[int, Field(gt=0, le=PAYLOAD_BYTES_MAX // 2)] | None = None
    """Size of an event of random letters and digits; excludes ``payload``."""

    encoding: Encoding = "text"
    """How an event of ``payload_bytes`` is sent."""

    every_ms: Annotated[float, Field(gt=0)] | None = None
    """Interval between two messages of a connection in milliseconds; ``None`` for
    1000. A closed loop has none."""

    in_flight: Count | None = None
    """Unanswered messages of each connection in a closed loop; ``None`` for an open
    loop."""

    offered: OfferedLoad | None = None
    """Load of an open loop instead of ``every_ms``; excludes ``in_flight``."""

    @model_validator(mode="after")
    def _has_one_payload(self) -> Self:
        is_generated = self.payload_bytes is not None or "payload_bytes" in self.sweep
        if self.payload and is_generated:
            raise ValueError("give payload or payload_bytes, not both")
        if self.encoding != "text" and not is_generated:
            raise ValueError("encoding needs payload_bytes: give the event's size")
        return self

    @model_validator(mode="after")
    def _has_one_loop(self) -> Self:
        if self.in_flight and self.every_ms:
            raise ValueError("in_flight: a closed loop has no every_ms; remove one")
        if self.offered and (self.in_flight or self.every_ms):
            raise ValueError("offered decides the rate: omit in_flight and every_ms")
        return self

    @property
    def is_closed_loop(self) -> bool:
        return self.in_flight is not None

    @property
    def rate_source(self) -> str | None:
        return self.offered.of if self.offered else None

    def at_rate(self, rate_per_s: float) -> Self:
        """Return the workload with the interval that ``offered`` means."""
        if self.offered is None:
            return self
        connections = self.offered.connections or self.connections
        every_ms = 1000 * connections / (self.offered.share * rate_per_s)
        return self.model_copy(update={"every_ms": every_ms, "offered": None})

    @property
    def message(self) -> Payload:
        """Each message: the given one, the generated one, or a greeting."""
        if self.payload_bytes is not None:
            return encode(payload_of(self.payload_bytes), self.encoding)
        return self.payload or GREETING

    def exchange_plan(self, opening_s: float) -> dict[str, object]:
        """
        Return the workload of the engine's plan.

        Raises:
            NoRate: the rate of which ``offered`` is a share is unknown.
        """
        if self.offered:
            other = self.offered.of
            raise NoRate(f"workload {other!r} of the same run has no rate: run it too")
        if self.in_flight:
            loop: dict[str, object] = {"window": self.in_flight}
        else:
            rate_per_s = 1000 / (self.every_ms or EVERY_MS)
            loop = {"schedule": constant(rate_per_s, per="connection")}
        return {
            "kind": "echo",
            **loop,
            "payload": self.message.model_dump(exclude_none=True),
            "phases": self.phases(opening_s),
        }

    def ranking_metric(self, medians: Sequence[Mapping[str, float]]) -> str:
        """
        Return the response time if all cells sustain the load, else the rate.

        It is the rate by CPU time for a closed loop in slices, else that by the clock.
        """
        if self.is_closed_loop and any(PER_CPU in median for median in medians):
            return PER_CPU
        shares = [
            median["achieved_share"] for median in medians if "achieved_share" in median
        ]
        is_sustained = min(shares, default=0) >= MET_SHARE_MIN
        return "response_ms_p99" if is_sustained else "achieved_per_s"

    def has_messages(self, load: LoadResult) -> bool:
        exchange = exchange_of(load)
        return bool(exchange.echoed and exchange.completed)

    def window_counts(self, load: LoadResult) -> WindowCounts:
        exchange = exchange_of(load)
        times = response_times(exchange)
        return WindowCounts(
            messages=exchange.completed,
            payload_bytes=exchange.completed * self.message.size,
            metrics=tuple(exchange_metrics(load)),
            durations={"response_time_ns": times},
            violation=early_backlog(load),
        )


def exchange_metrics(load: LoadResult) -> Iterator[MetricValue]:
    """Yield the metrics (docs/experiments.md) that come from the engine's result."""
    exchange = exchange_of(load)
    times = response_times(exchange)
    window_s = load.window_ns / SECOND_NS
    if not early_backlog(load):
        yield client_metric("achieved_per_s", exchange.completed / window_s)
    yield from growth_metrics(exchange.rate_growth)
    if exchange.offered_rate_per_s is not None:
        yield from _open_loop_metrics(exchange, exchange.offered_rate_per_s)
    yield client_metric("response_ms_mean", mean_ns(times) / 1e6)
    for quantile, name in ((0.5, "p50"), (0.99, "p99"), (1.0, "max")):
        yield client_metric(f"response_ms_{name}", quantile_ns(times, quantile) / 1e6)


def early_backlog(load: LoadResult) -> str:
    """
    Say that an open loop answered a backlog of its warm-up; empty if it did not.

    It then answered more messages in the window than were due in it, which is no rate
    that it can sustain.
    """
    exchange = exchange_of(load)
    if exchange.offered_rate_per_s is None:
        return ""
    due = exchange.offered_rate_per_s * load.window_ns / SECOND_NS
    late = exchange.completed - due
    if late <= EARLY_SHARE_MAX * due:
        return ""
    return (
        f"not yet steady: {late:,.0f} messages of the warm-up were answered in the "
        f"window, beside {due:,.0f} that were due in it"
    )


def _open_loop_metrics(
    exchange: Exchange, offered_rate_per_s: float
) -> Iterator[MetricValue]:
    assert exchange.achieved_share is not None, "something was answered"
    yield client_metric("offered_per_s", offered_rate_per_s)
    yield client_metric("achieved_share", exchange.achieved_share)
    backlog = exchange.backlog
    yield client_metric("backlog_at_window_end_messages", backlog.at_window_end)
    yield client_metric("backlog_answered_in_drain_messages", backlog.answered_in_drain)
    yield client_metric("backlog_unanswered_messages", backlog.unanswered)
    yield client_metric(
        "sent_share", exchange.sent / (exchange.sent + exchange.overdue)
    )
    service = Buckets(exchange.service_time_ns).values
    yield client_metric("service_ms_mean", mean_ns(service) / 1e6)


def response_times(exchange: Exchange) -> list[Value]:
    """Return the response times as they are stored."""
    return Buckets(exchange.response_time_ns).values


def exchange_of(load: LoadResult) -> Exchange:
    """Return the part of the engine's result about answered messages."""
    assert load.exchange is not None, "the result of an exchange"
    return load.exchange
