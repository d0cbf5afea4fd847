"""A feed: a server sends each message to everybody, continuously or at an interval."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from autostrada.engine.messages import LoadResult
from autostrada.engine.plans import (
    ADDRESS,
    Plan,
    load_plan,
    serve_plan,
    spoken,
    url_of,
)
from autostrada.evidence.ends import Part, end_evidence, total_seen
from autostrada.evidence.joined import joined, process_name
from autostrada.evidence.seen import end_figures
from autostrada.stats.buckets import Buckets, merged
from autostrada.stats.evidence import EndName, Pacing
from autostrada.stats.search import Search
from autostrada.stats.steadiness import Hold, Memory, unsteadiness
from autostrada.store.record import (
    Bucket,
    EndEvidence,
    Figure,
    Measurement,
    Observation,
    ProcessTotal,
    Second,
)
from autostrada.workloads.delivery import (
    Delivery,
    client_figure,
    faults,
    feed_figures,
    server_figure,
)
from autostrada.workloads.report import (
    Configuration,
    Observed,
    Reports,
    Setup,
    Window,
    whole_series,
)
from autostrada.workloads.workload import Count, Seconds, Workload

PATH = "/feed"

IS_STEADY = "is_steady"
"""The figure of a feed at an interval: 1 where it was held steadily, 0 where not."""

UNKNOWN = "whether it was steady is not known"
"""Of a search whose messages have no instant, or of which none came."""

CONNECT_QUANTILES = {"connect_ms_p50": 0.5, "connect_ms_p99": 0.99}
OF_EACH_PROCESS = ("client_cpu_share", "client_memory_bytes_third_")
"""Figures of which those of all clients are shared out evenly."""


class Feed(Workload):
    """
    A server sends each message to everybody: continuously, or at an interval.

    Client processes are given to the server's workers in turn; each worker has a port
    and subscribers of its own. A search for the capacity of a feed at an interval
    requires that every message reaches every connection within the interval, that
    memory is flat and that no connection drops.
    """

    sweepable: ClassVar[frozenset[str]] = frozenset(
        {"connections", "processes", "stocks", "every_ms"}
    )
    client_role: ClassVar[str | None] = "feed"
    is_fed: ClassVar[bool] = True

    kind: Literal["feed"]
    feed: Literal["hello", "sequence", "clock", "stocks"]
    encoding: Literal["json", "binary"] = "json"
    seconds: Seconds
    every_ms: float | None = Field(default=None, gt=0)
    """Without it, continuously."""

    stocks: Count = 1
    """Records in each message of ``stocks``."""

    processes: Count = 1
    """Of clients."""

    connections: Count = 1
    """Of each client process."""

    connections_of: str | None = None
    """A searched workload: ``connections`` are then the capacity that it finds."""

    workers: Count = 1
    """Processes of the server."""

    connect_rate_per_s: float | None = Field(default=None, gt=0)
    """Of all connections together, where clients are the engine; else all at once."""

    tls: bool = False
    cipher_suite: str | None = None
    """The only one that the engine's clients offer, by its IANA name."""

    search: Search | None = None

    @model_validator(mode="after")
    def _can_share(self) -> Self:
        if self.processes % self.workers:
            raise ValueError(
                f"processes: {self.processes} cannot be shared evenly by "
                f"{self.workers} workers"
            )
        return self

    @model_validator(mode="after")
    def _has_one_size(self) -> Self:
        if self.connections_of and (self.search or "connections" in self.sweep):
            raise ValueError(
                "connections_of: what another workload finds is one number: leave out "
                "search, and connections in sweep"
            )
        return self

    @model_validator(mode="after")
    def _can_be_searched(self) -> Self:
        has_instants = self.feed in ("clock", "stocks")
        if self.search and not (has_instants and self.every_ms):
            raise ValueError(
                "search: whether a feed comes within its interval is told by its "
                "instants: give every_ms, and clock or stocks as feed"
            )
        return self

    @property
    def server_processes(self) -> int:
        """Its workers."""
        return self.workers

    @property
    def client_processes(self) -> int:
        """Its client processes."""
        return self.processes

    @property
    def is_over_tls(self) -> bool:
        """Whether its connections are over TLS."""
        return self.tls

    @property
    def capacity_search(self) -> Search | None:
        """How many connections are held steadily."""
        return self.search

    @property
    def capacity_of(self) -> str | None:
        """The searched workload whose capacity is the number of its connections."""
        return self.connections_of

    @property
    def duration_s(self) -> float:
        """Opening the connections, where their rate is planned, and the feed."""
        if self.every_ms is None:
            return self.opening_s + self.seconds
        # It ends when the message after its last would be due.
        intervals = ceil(self.seconds * 1e3 / self.every_ms)
        return self.opening_s + intervals * self.every_ms / 1e3

    @property
    def opening_s(self) -> float:
        """How long connections are opened by their rate; 0 where all at once."""
        if self.connect_rate_per_s is None:
            return 0.0
        return self.connections * self.processes / self.connect_rate_per_s

    @property
    def subscribers(self) -> int:
        """How many connections come to each process of the server."""
        return self.processes // self.workers * self.connections

    def server(self, setup: Setup, port: int) -> Configuration:
        """Configure a server: docs/contract.md, 8."""
        plan = serve_plan(
            listen=f"{ADDRESS}:{port}",
            protocol=setup.protocol,
            feed={
                "kind": self.feed,
                "encoding": self.encoding,
                "subscribers": self.subscribers,
                "seconds": self.seconds,
                **({"stocks": self.stocks} if self.feed == "stocks" else {}),
                **self._interval(),
            },
            # It ends when all of its subscribers have left.
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
            environment["STOCKS_FILE"] = setup.stocks_file
        if self.every_ms is not None:
            environment["EVERY_MS"] = decimal(self.every_ms)
        return Configuration(plan=plan, environment=environment)

    def client(self, setup: Setup, port: int) -> Configuration:
        """Configure a client, which receives to the end: docs/contract.md, 7."""
        rate_per_s = self.connect_rate_per_s
        plan = load_plan(
            url=url_of(setup.protocol, port, PATH, is_over_tls=self.tls),
            protocol=spoken(setup.protocol, PATH),
            workload={
                "kind": "receive",
                "feed": {
                    "kind": self.feed,
                    "encoding": self.encoding,
                    **self._interval(),
                },
                "phases": {
                    "opening_s": setup.limit_s,
                    "window_s": self.seconds + setup.limit_s / 2,
                    "drain_s": 0,
                },
            },
            tls=setup.tls and replace(setup.tls, cipher_suite=self.cipher_suite),
            congestion_control=setup.congestion_control,
            connections=self.connections,
            connect_rate_per_s=rate_per_s and rate_per_s / self.processes,
            **setup.room.load_keys(self.subscribers),
        )
        environment = {
            "WORKLOAD": "receive",
            "URL": url_of("websocket", port, PATH, is_over_tls=self.tls),
            "CONNECTIONS": str(self.connections),
            "FEED": self.feed,
            "ENCODING": self.encoding,
        }
        return Configuration(plan=plan, environment=environment, may_be_cut_off=True)

    def window(self, reports: Reports) -> Window:
        """Return the feed's time: from when the last connection was open."""
        return self.delivery(reports).window

    def judge(self, reports: Reports, observed: Observed) -> Measurement:
        """
        Make a measurement of what was sent, received and observed.

        Raises:
            ContestantError: a report contradicts itself, or another one.
        """
        delivery = self.delivery(reports)
        delivery.check()
        seen = joined(observed.observation)
        loads = delivery.loads
        client = _end("client", observed, seen, loads)
        server = _end("server", observed, seen, [])
        hold = hold_of(delivery, seen)
        violation = "; ".join(unsteadiness(hold)) if hold else ""
        if self.search and not hold:
            violation = UNKNOWN
        limits = [each.generator_limited for each in loads]
        return Measurement(
            messages=delivery.received_messages,
            payload_bytes=sum(each.payload_bytes for each in delivery.clients),
            duration_ns=delivery.window_ns,
            server_busy_share=server.cpu_cores,
            client_busy_share=client.cpu_cores,
            pacing=Pacing.CONTINUOUS if delivery.is_continuous else Pacing.OPEN_LOOP,
            achieved_share=delivery.achieved_share,
            engine_limit="; ".join(dict.fromkeys(each for each in limits if each)),
            faults="; ".join(faults(delivery)),
            violation=violation,
            processes=tuple(_totals(delivery, observed, seen)),
            ends=(client, server),
            seconds=tuple(_seconds(delivery)),
            figures=(
                *feed_figures(delivery),
                *opening_figures(delivery, reports.start_ns),
                *seen_figures(delivery, seen),
                *steady_figures(hold),
            ),
            buckets=tuple(
                Bucket(
                    process="client",
                    figure="latency_ns",
                    value_ns=value_ns,
                    count=count,
                )
                for value_ns, count in delivery.latencies()
            ),
        )

    def delivery(self, reports: Reports) -> Delivery:
        """Return what was sent and received."""
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
    """Write a number as the contract has it: digits, without an exponent."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def _end(
    name: EndName, observed: Observed, seen: Observation, loads: Sequence[LoadResult]
) -> EndEvidence:
    """Return one end as evidence; the engine says itself how busy its clients were."""
    busy_shares = [max(each.busy_shares, default=0.0) for each in loads]
    part = Part(
        process=name,
        is_engine=observed.ends[name].is_engine,
        cpus=observed.ends[name].cpus,
        busy_share=min(1.0, sum(busy_shares)) if busy_shares else None,
    )
    window_ns = observed.window.duration_ns
    return end_evidence(part, total_seen(name, seen, window_ns), seen, window_ns)


def _totals(
    delivery: Delivery, observed: Observed, seen: Observation
) -> Iterator[ProcessTotal]:
    """Yield what each end used as a whole, and each further process of it."""
    counts: dict[EndName, int] = {
        "client": len(delivery.clients),
        "server": len(delivery.servers),
    }
    for end, count in counts.items():
        names = [process_name(end, index) for index in range(1, count)]
        found = [
            total_seen(end, seen, delivery.window_ns),
            *(
                total_seen(name, observed.observation, delivery.window_ns)
                for name in names
            ),
        ]
        yield from (total for total in found if total)


def _seconds(delivery: Delivery) -> Iterator[Second]:
    for index, client in enumerate(delivery.clients):
        yield from whole_series(
            process_name("client", index),
            client.seconds,
            client.messages,
            client.payload_bytes,
        )
    for index, server in enumerate(delivery.servers):
        yield from whole_series(
            process_name("server", index),
            server.seconds,
            server.messages,
            server.payload_bytes,
        )


def hold_of(delivery: Delivery, observation: Observation) -> Hold | None:
    """
    Return what steadiness is told by; ``None`` where it is unknown.

    It is told of messages that have an instant. ``observation`` has each end as one
    process.
    """
    latencies, regularity = delivery.latencies(), delivery.regularity
    if delivery.every_ms is None or not latencies or not regularity:
        return None
    return Hold(
        every_ms=delivery.every_ms,
        latency_ms_max=latencies[-1][0] / 1e6,
        delivered_messages=sum(count for _, count in latencies),
        late_messages=sum(
            count
            for latency_ns, count in latencies
            if latency_ns > delivery.every_ms * 1e6
        ),
        dropped_messages=delivery.dropped_messages,
        backlog_messages=delivery.lacking_messages,
        burst_max_messages=max(each.burst_max for each in regularity),
        disconnected_clients=delivery.disconnected_clients,
        memory=[
            Memory(at_ns=sample.since_start_ns, resident_bytes=sample.resident_bytes)
            for sample in observation.process_samples
            if sample.process == "server"
            and 0 <= sample.since_start_ns <= delivery.window_ns
        ],
    )


def steady_figures(hold: Hold | None) -> Iterator[Figure]:
    """Yield whether connections were held steadily, where that can be told."""
    if hold is not None:
        yield server_figure(IS_STEADY, float(not unsteadiness(hold)))


def opening_figures(delivery: Delivery, start_ns: int) -> Iterator[Figure]:
    """Yield how long it took to open connections, from when clients were let start."""
    own = [each.opened_ns - start_ns for each in delivery.clients if not each.load]
    if own:
        yield client_figure("start_to_open_ms", sum(own) / len(own) / 1e6)
    buckets = merged(Buckets(each.connect_response_time_ns) for each in delivery.loads)
    if buckets.count:
        for figure, quantile in CONNECT_QUANTILES.items():
            yield client_figure(figure, buckets.quantile_ns(quantile) / 1e6)
        yield client_figure("connect_s", (delivery.start_ns - start_ns) / 1e9)


def seen_figures(delivery: Delivery, observation: Observation) -> Iterator[Figure]:
    """
    Yield what was seen from outside; ``observation`` has each end as one process.

    What connections add to a contestant's client is not known: it opens them as soon as
    it has started.
    """
    window_ns, connections = delivery.window_ns, delivery.connections
    is_held = all(each.load for each in delivery.clients)
    yield from end_figures("server", observation, window_ns, connections)
    for figure in end_figures("client", observation, window_ns, connections):
        if figure.figure == "client_memory_bytes_per_connection" and not is_held:
            continue
        is_of_each = figure.figure.startswith(OF_EACH_PROCESS)
        shared_by = len(delivery.clients) if is_of_each else 1
        yield replace(figure, value=figure.value / shared_by)
