"""A feed: a server sends each message to all subscribers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from autostrada.engine.plans import (
    PENDING_MAX,
    Plan,
    load_plan,
    protocol_plan,
    serve_plan,
)
from autostrada.evidence.aggregation import (
    REFERENCE_CLIENT,
    aggregate_by_end,
    process_name,
)
from autostrada.evidence.end_metrics import THIRDS
from autostrada.stats.buckets import Buckets, merged
from autostrada.stats.evidence import EndName, Pacing
from autostrada.stats.steadiness import Memory, SteadinessInput, steadiness_violations
from autostrada.store.record import (
    Bucket,
    Measurement,
    MetricValue,
    Observation,
    SecondRow,
)
from autostrada.workloads.delivery import Delivery, faults, feed_metrics
from autostrada.workloads.feed_ends import (
    client_end,
    observation_metrics,
    server_end,
    totals,
)
from autostrada.workloads.load import client_metric, server_metric
from autostrada.workloads.report import (
    ClientReport,
    Configuration,
    Reports,
    ServerReport,
    Setup,
    Window,
    WindowObservation,
    whole_series,
)
from autostrada.workloads.workload import Count, Seconds, Workload

PATH = "/feed"

IS_STEADY = "is_steady"
"""Value of a feed at an interval: 1 if it was delivered steadily, otherwise 0."""

CONNECT_QUANTILES = {"connect_ms_p50": 0.5, "connect_ms_p99": 0.99}


class Feed(Workload):
    """
    A server sends each message to all subscribers, continuously or at an interval.

    Client processes are assigned to the server's workers in turn; each worker has its
    own port and subscribers.
    """

    sweepable: ClassVar[frozenset[str]] = frozenset(
        {"connections", "processes", "stocks", "every_ms"}
    )
    has_contestant_clients: ClassVar[bool] = True

    kind: Literal["feed"]
    feed: Literal["hello", "sequence", "clock", "stocks"]
    encoding: Literal["json", "binary"] = "json"
    seconds: Seconds
    every_ms: float | None = Field(default=None, gt=0)
    """Interval between messages in milliseconds; ``None`` to send continuously."""

    stocks: Count = 1
    """Number of stocks in each message of the feed ``stocks``."""

    bars: Count | None = None
    """Length of each stock's series; ``None`` if a stock is a single record."""

    decode: Literal["heading", "whole"] = "heading"
    """Whether contestants' clients decode only what precedes the stocks, or all. The
    engine's clients never decode stocks."""

    drain_s: Annotated[float, Field(ge=0, le=86_400)] | None = None
    """How long clients receive after the feed, in seconds; ``None`` for as long as the
    experiment's ``limit_s`` permits."""

    processes: Count = 1
    """Number of client processes."""

    contestant_processes: Count | None = None
    """Number of client processes of a contestant; the others are the engine. ``None``
    for all of them."""

    connections: Count = 1
    """Number of connections of each client process."""

    workers: Count = 1
    """Number of server processes."""

    connect_rate_per_s: float | None = Field(default=None, gt=0)
    """Rate at which the engine's clients open connections, over all clients; ``None``
    to open them as fast as the server accepts. Contestants ignore it."""

    connect_pending_max: Count = PENDING_MAX
    """Number of connections that each client process opens at the same time, if it is
    the engine."""

    tls: bool = False
    cipher_suite: str | None = None
    """IANA name of the only cipher suite that the engine's clients offer."""

    @model_validator(mode="after")
    def _can_share(self) -> Self:
        if self.processes % self.workers:
            raise ValueError(
                f"processes: {self.processes} cannot be shared evenly by "
                f"{self.workers} workers"
            )
        return self

    @model_validator(mode="after")
    def _has_so_many(self) -> Self:
        if self.contestant_clients > self.processes:
            raise ValueError(
                f"contestant_processes: {self.contestant_clients} of "
                f"{self.processes} processes is too many"
            )
        return self

    @model_validator(mode="after")
    def _has_stocks(self) -> Self:
        if self.feed != "stocks" and (self.bars or self.decode == "whole"):
            raise ValueError("bars, decode: only the feed stocks has them; remove them")
        return self

    @property
    def server_processes(self) -> int:
        return self.workers

    @property
    def client_processes(self) -> int:
        return self.processes

    @property
    def contestant_clients(self) -> int:
        return self.contestant_processes or self.processes

    def ranking_metric(self, medians: Sequence[Mapping[str, float]]) -> str:
        """Return the latency of messages that are due, otherwise their rate."""
        del medians
        has_instants = self.every_ms is not None and self.feed != "sequence"
        return "latency_ms_p99" if has_instants else "received_per_s"

    @property
    def memory_instants_s(self) -> Sequence[float]:
        """The ends of the thirds of the feed, in seconds."""
        return [third * self.seconds / THIRDS for third in range(1, THIRDS + 1)]

    @property
    def published_roles(self) -> frozenset[EndName]:
        """Return both roles: only published programs know feeds."""
        return frozenset({"server", "client"})

    @property
    def is_over_tls(self) -> bool:
        return self.tls

    @property
    def total_connections(self) -> int:
        return self.processes * self.connections

    @property
    def server_claims(self) -> tuple[str, ...]:
        """Keys of ``[published.server]`` that a contestant's manifest must set."""
        return ("bars",) if self.bars else ()

    @property
    def client_claims(self) -> tuple[str, ...]:
        """Keys of ``[published.client]`` that a contestant's manifest must set."""
        needed = {"decode": self.decode == "whole", "seconds": self.drain_s is not None}
        return tuple(key for key, is_needed in needed.items() if is_needed)

    @property
    def duration_s(self) -> float:
        """Planned time to open the connections and of the feed, in seconds."""
        if self.every_ms is None:
            return self.opening_s + self.seconds
        # The feed ends when the message after the last one would be due.
        intervals = ceil(self.seconds * 1e3 / self.every_ms)
        return self.opening_s + intervals * self.every_ms / 1e3

    @property
    def opening_s(self) -> float:
        """Time in seconds to open all connections at the rate; 0 without a rate."""
        if self.connect_rate_per_s is None:
            return 0.0
        return self.connections * self.processes / self.connect_rate_per_s

    @property
    def subscribers(self) -> int:
        """Number of connections to each server process."""
        return self.processes // self.workers * self.connections

    def server(self, setup: Setup, port: int) -> Configuration:
        """Configure a server: docs/published.md, 1."""
        plan = serve_plan(
            listen=f"{setup.address}:{port}",
            protocol=setup.protocol,
            feed={
                "kind": self.feed,
                "encoding": self.encoding,
                "subscribers": self.subscribers,
                "seconds": self.seconds,
                **({"stocks": self.stocks} if self.feed == "stocks" else {}),
                **self._interval(),
            },
            # The server ends when all of its subscribers have disconnected.
            connections=self.subscribers,
            congestion_control=setup.congestion_control,
            tls=setup.tls,
        )
        environment = {
            "FEED": self.feed,
            "ENCODING": self.encoding,
            "SUBSCRIBERS": str(self.subscribers),
            "SECONDS": decimal(self.seconds),
        }
        if self.feed == "stocks":
            environment["STOCKS"] = str(self.stocks)
        if self.bars:
            environment["BARS"] = str(self.bars)
        if self.every_ms is not None:
            environment["EVERY_MS"] = decimal(self.every_ms)
        return Configuration(plan=plan, environment=environment)

    def client(self, setup: Setup, port: int) -> Configuration:
        """Configure a client, which receives the whole feed: docs/published.md, 2."""
        rate_per_s = self.connect_rate_per_s
        drain_s = setup.limit_s / 2 if self.drain_s is None else self.drain_s
        plan = load_plan(
            url=setup.url(port, PATH),
            protocol=protocol_plan(setup.protocol, PATH),
            workload={
                "kind": "receive",
                "feed": {
                    "kind": self.feed,
                    "encoding": self.encoding,
                    **self._interval(),
                },
                "phases": {
                    "opening_s": setup.limit_s,
                    "window_s": self.seconds + drain_s,
                    "drain_s": 0,
                },
            },
            tls=setup.tls and replace(setup.tls, cipher_suite=self.cipher_suite),
            congestion_control=setup.congestion_control,
            connections=self.connections,
            connect_rate_per_s=rate_per_s and rate_per_s / self.processes,
            **setup.connection_limits.load_keys(self.subscribers)
            | {"connect_pending_max": self.connect_pending_max},
        )
        environment = {
            "URL": setup.url(port, PATH, "websocket"),
            "CONNECTIONS": str(self.connections),
            "FEED": self.feed,
            "ENCODING": self.encoding,
        }
        if self.decode == "whole":
            environment["DECODE"] = self.decode
            if self.bars:
                environment["BARS"] = str(self.bars)
        if self.drain_s is not None:
            environment["SECONDS"] = decimal(self.seconds + self.drain_s)
        return Configuration(plan=plan, environment=environment, may_be_cut_off=True)

    def window(self, reports: Reports) -> Window:
        """Return the window of the feed; it begins when the last connection is open."""
        return self.delivery(reports).window

    def evaluate(self, reports: Reports, observed: WindowObservation) -> Measurement:
        delivery = self.delivery(reports)
        delivery.check()
        observation = aggregate_by_end(observed.observation)
        loads = delivery.loads
        client, shared_limit = client_end(delivery, observed, observation)
        server = server_end(observed, observation)
        steadiness = steadiness_input(delivery, observation)
        violation = "; ".join(steadiness_violations(steadiness)) if steadiness else ""
        limits = [*(load.generator_limited for load in loads), shared_limit]
        return Measurement(
            messages=delivery.received_messages,
            payload_bytes=sum(report.payload_bytes for report in delivery.clients),
            duration_ns=delivery.window_ns,
            server_utilization=server.cpu_cores,
            client_utilization=client.cpu_cores,
            pacing=Pacing.CONTINUOUS if delivery.is_continuous else Pacing.OPEN_LOOP,
            achieved_share=delivery.achieved_share,
            engine_limit="; ".join(dict.fromkeys(limit for limit in limits if limit)),
            faults="; ".join(faults(delivery)),
            violation=violation,
            processes=tuple(totals(delivery, observed, observation)),
            ends=(client, server),
            seconds=tuple(_seconds(delivery)),
            metrics=(
                *feed_metrics(delivery),
                *opening_metrics(delivery, reports.start_ns),
                *observation_metrics(
                    delivery,
                    observation,
                    {
                        name: placement.cpus_without_limit
                        for name, placement in observed.ends.items()
                    },
                ),
                *steady_metrics(steadiness),
            ),
            buckets=tuple(
                Bucket(
                    process="client",
                    metric="latency_ns",
                    value_ns=value_ns,
                    count=count,
                )
                for value_ns, count in delivery.latencies(delivery.measured_clients)
            ),
        )

    def delivery(self, reports: Reports) -> Delivery:
        """Return the reports together with the parameters of the feed."""
        return Delivery(
            connections_each=self.connections,
            duration_s=self.seconds,
            every_ms=self.every_ms,
            servers=reports.servers,
            clients=reports.clients,
        )

    def _interval(self) -> Plan:
        return {} if self.every_ms is None else {"every_ms": self.every_ms}


def decimal(value: float) -> str:
    """Format a number as the contract requires: in decimal, without an exponent."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def _seconds(delivery: Delivery) -> Iterator[SecondRow]:
    ends: dict[str, Sequence[ClientReport | ServerReport]] = {
        "client": delivery.measured_clients,
        REFERENCE_CLIENT: delivery.references,
        "server": delivery.servers,
    }
    for end, reports in ends.items():
        for index, report in enumerate(reports):
            yield from whole_series(
                process_name(end, index),
                report.seconds,
                report.messages,
                report.payload_bytes,
            )


def steadiness_input(
    delivery: Delivery, observation: Observation
) -> SteadinessInput | None:
    """
    Return the metrics that determine whether a feed was steady; ``None`` if unknown.

    Steadiness is only known for feeds at an interval whose messages have timestamps.
    ``observation`` has one process for each end.
    """
    late_share = delivery.late_share
    if late_share is None or not delivery.regularity:
        return None
    return SteadinessInput(
        latency_ms_max=delivery.latencies()[-1][0] / 1e6,
        late_share=late_share,
        disconnected_clients=delivery.disconnected_clients,
        memory=[
            Memory(at_ns=sample.since_start_ns, resident_bytes=sample.resident_bytes)
            for sample in observation.process_samples
            if sample.process == "server"
            and 0 <= sample.since_start_ns <= delivery.window_ns
        ],
    )


def steady_metrics(steadiness: SteadinessInput | None) -> Iterator[MetricValue]:
    """Yield whether the feed was steady, if that is known."""
    if steadiness is not None:
        yield server_metric(IS_STEADY, float(not steadiness_violations(steadiness)))


def opening_metrics(delivery: Delivery, start_ns: int) -> Iterator[MetricValue]:
    """Yield the times to open connections; ``start_ns`` is the start of the clients."""
    own = [
        report.opened_ns - start_ns
        for report in delivery.measured_clients
        if not report.load
    ]
    if own:
        yield client_metric("start_to_open_ms", sum(own) / len(own) / 1e6)
        return
    buckets = merged(Buckets(load.connect_response_time_ns) for load in delivery.loads)
    if buckets.count:
        for metric, quantile in CONNECT_QUANTILES.items():
            yield client_metric(metric, buckets.quantile_ns(quantile) / 1e6)
        yield client_metric("connect_s", (delivery.start_ns - start_ns) / 1e9)
