"""A broadcast: the engine publishes, and subscribes to what the server sends."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from autostrada.engine.messages import LoadResult, Published
from autostrada.engine.plans import Protocol, load_plan, protocol_plan, serve_plan
from autostrada.stats.buckets import Buckets
from autostrada.stats.evidence import EndName
from autostrada.stats.metrics import PER_CPU
from autostrada.store.record import MetricValue
from autostrada.workloads.load import (
    LoadWorkload,
    WindowCounts,
    client_metric,
    growth_metrics,
    load_of,
)
from autostrada.workloads.report import (
    ClientReport,
    Configuration,
    Reports,
    Setup,
    Window,
)
from autostrada.workloads.workload import Count

PATH = "/subscribe"

SLOW_BUFFER_BYTES = 4096
"""Receive buffer of the socket of a subscriber that reads nothing."""


class Publish(LoadWorkload):
    """
    The server sends what the engine publishes to all of the engine's subscribers.

    Messages are published at an interval, or each as soon as all subscribers have
    received the one ``in_flight`` before it. The last connections are the publishers.
    """

    sweepable: ClassVar[frozenset[str]] = frozenset(
        {"connections", "every_ms", "in_flight", "stocks"}
    )
    driver: ClassVar[EndName] = "client"

    kind: Literal["publish"]
    encoding: Literal["json", "binary"] = "json"
    stocks: Count = 1
    """Number of stocks in each message, which determines its size."""

    every_ms: Annotated[float, Field(gt=0)] | None = None
    """Interval between messages in milliseconds; ``None`` for a closed loop."""

    in_flight: Count = 1
    """In a closed loop, number of messages that some subscriber has not received."""

    publishers: Count = 1
    slow_share: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Share of the connections that subscribe and read nothing during the window."""

    @model_validator(mode="after")
    def _has_subscribers(self) -> Self:
        if self.publishers >= self.connections and "connections" not in self.sweep:
            raise ValueError("publishers: none of the connections is a subscriber")
        return self

    @property
    def is_closed_loop(self) -> bool:
        return self.every_ms is None

    @property
    def server_claims(self) -> tuple[str, ...]:
        """Keys of ``[server]`` that a contestant's manifest must set."""
        return ("publish",)

    @property
    def required_protocol(self) -> Protocol | None:
        """Return WebSocket, in which the paths are told apart."""
        return "websocket"

    def server(self, setup: Setup, port: int) -> Configuration:
        """Configure a server, which runs until it is ended: docs/contract.md, 4."""
        plan = serve_plan(listen=f"{setup.address}:{port}", protocol=setup.protocol)
        return Configuration(plan=plan, environment={}, has_result=False)

    def client(self, setup: Setup, port: int) -> Configuration:
        """Configure the engine, which is publisher and subscribers."""
        feed: dict[str, object] = {"kind": "stocks", "broadcast": True}
        feed["encoding"] = self.encoding
        if self.every_ms:
            feed["every_ms"] = self.every_ms
        plan = load_plan(
            url=setup.url(port, PATH),
            protocol=protocol_plan(setup.protocol, PATH),
            workload={
                "kind": "publish",
                "feed": feed,
                "stocks": self.stocks,
                "window": None if self.every_ms else self.in_flight,
                "publishers": self.publishers,
                "slow": self._slow(),
                "phases": self.phases(setup.limit_s),
            },
            tls=None,
            congestion_control=setup.congestion_control,
            connections=self.connections,
            slices=True if self.slices else None,
            **setup.connection_limits.load_keys(self.connections),
        )
        return Configuration(plan=plan, environment=None)

    def _slow(self) -> dict[str, object] | None:
        """Return the slow subscribers, whose kernel holds next to nothing for them."""
        if self.slow_share is None:
            return None
        return {"share": self.slow_share, "receive_buffer_bytes": SLOW_BUFFER_BYTES}

    def ranking_metric(self, medians: Sequence[Mapping[str, float]]) -> str:
        """Return the rate of received messages, of a closed loop in slices by CPU."""
        if self.is_closed_loop and any(PER_CPU in median for median in medians):
            return PER_CPU
        return "received_per_s"

    def driver_report(self, reports: Reports) -> ClientReport:
        return reports.clients[0]

    def has_messages(self, load: LoadResult) -> bool:
        return _published(load).delivered_rate_per_s > 0

    def window_counts(self, load: LoadResult) -> WindowCounts:
        times = Buckets(load.delivery_time_ns or ()).values
        return WindowCounts(
            messages=load.messages,
            payload_bytes=load.bytes,
            metrics=tuple(_metrics(load)),
            durations={"latency_ns": times},
        )

    def extra_faults(self, reports: Reports, window: Window) -> Iterator[str]:
        """Yield what was published and never delivered, and how often all stalled."""
        del window
        load = load_of(self.driver_report(reports))
        published = _published(load)
        if published.stalls:
            yield f"no message arrived for a second, {published.stalls:,} times"
        if load.wrong:
            yield f"{load.wrong:,} messages were wrong"


def _metrics(load: LoadResult) -> Iterator[MetricValue]:
    published = _published(load)
    yield client_metric("received_per_s", published.delivered_rate_per_s)
    yield client_metric("published_per_s", published.rate_per_s)
    yield from growth_metrics(published.rate_growth)
    yield client_metric("undelivered_messages", published.undelivered)
    if load.sequence:
        yield client_metric("missing_messages", load.sequence.missing)
    if load.fan_out_skew and load.fan_out_skew.skew_ns:
        skew = Buckets(load.fan_out_skew.skew_ns)
        yield client_metric("fan_out_skew_ms_p99", skew.quantile_ns(0.99) / 1e6)


def _published(load: LoadResult) -> Published:
    assert load.published is not None, "the result of publishers"
    return load.published
