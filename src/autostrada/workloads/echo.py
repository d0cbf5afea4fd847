"""An echo: the engine's connections send messages, and a server returns them."""

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from autostrada.engine.messages import LoadResult
from autostrada.engine.plans import Protocol, load_plan, protocol_plan, serve_plan
from autostrada.evidence.aggregation import aggregate_by_end, process_name
from autostrada.evidence.ends import network_bytes_per_byte, total_from_samples
from autostrada.stats.evidence import EndName
from autostrada.store.record import EndEvidence, MetricValue, ProcessTotal
from autostrada.workloads.exchange import ExchangeWorkload, exchange_of
from autostrada.workloads.feed import Feed
from autostrada.workloads.load import (
    SECOND_NS,
    client_metric,
    load_of,
    server_metric,
)
from autostrada.workloads.lobby import Lobby
from autostrada.workloads.report import (
    ClientReport,
    Configuration,
    Reports,
    SecondReport,
    Setup,
    Window,
    WindowObservation,
)

PATH = "/echo"

UNCOMPRESSED = ""
"""Name in the engine's result of connections without compression."""

WORK_US_MAX = 1_000_000
"""Maximum CPU time per message, in microseconds: docs/published.md, 3.1."""


class Echo(ExchangeWorkload):
    """The engine is the client, and the server returns its messages."""

    sweepable: ClassVar[frozenset[str]] = ExchangeWorkload.sweepable | {"work_us"}
    driver: ClassVar[EndName] = "client"

    kind: Literal["echo"]
    work_us: Annotated[int, Field(ge=0, le=WORK_US_MAX)] = 0
    """CPU time, in microseconds, for which the server computes before each answer."""

    path: Annotated[str, Field(pattern=r"^/[!-~]*$")] = PATH
    """Path of the server's URL, and its query if any."""

    reply: Literal["same", "next"] = "same"
    """What answers a message: the same one, or the next one whatever its content."""

    transport: Literal["websocket", "polling"] = "websocket"
    """Transport of Socket.IO."""

    lobby: Lobby | None = None
    """A feed to as many further connections, which a second client process receives."""

    tls: bool = False

    deflate: bool = False
    """Whether the engine offers permessage-deflate, and the server grants it."""

    @model_validator(mode="after")
    def _can_compress(self) -> Self:
        if self.deflate and (self.is_polled or self.lobby):
            raise ValueError(
                "deflate: cannot be combined with transport polling or lobby; remove "
                "one of them"
            )
        return self

    @model_validator(mode="after")
    def _can_have_a_lobby(self) -> Self:
        if self.lobby and self.is_polled:
            raise ValueError(
                "lobby: cannot be combined with transport polling; remove one of them"
            )
        return self

    @property
    def server_claims(self) -> tuple[str, ...]:
        needed = {"work": self.work_us, "deflate": self.deflate}
        return tuple(claim for claim, is_needed in needed.items() if is_needed)

    @property
    def published_roles(self) -> frozenset[EndName]:
        """Return the role of the server if it works, or broadcasts a lobby's feed."""
        is_published = self.work_us or self.lobby
        return frozenset({"server"}) if is_published else frozenset()

    @property
    def client_processes(self) -> int:
        """Number of client processes: the bots, and the subscribers of the lobby."""
        return 2 if self.lobby else 1

    @property
    def is_over_tls(self) -> bool:
        return self.tls

    @property
    def is_polled(self) -> bool:
        """Whether messages are exchanged by HTTP long polling."""
        return self.transport == "polling"

    @property
    def required_protocol(self) -> Protocol | None:
        """Return Socket.IO for polling, WebSocket for compression, or ``None``."""
        if self.deflate:
            return "websocket"
        return "socketio" if self.is_polled else None

    def server(self, setup: Setup, port: int) -> Configuration:
        """Configure a server, which runs until it is ended: docs/contract.md, 4."""
        plan = serve_plan(
            listen=f"{setup.address}:{port}",
            protocol=setup.protocol,
            threads=setup.connection_limits.threads_for(self.connections),
            congestion_control=setup.congestion_control,
            tls=setup.tls,
            faults={"work_us": self.work_us} if self.work_us else None,
            compression={} if self.deflate else None,
        )
        environment = {
            **({"WORK_US": str(self.work_us)} if self.work_us else {}),
            **({"COMPRESSION": "deflate"} if self.deflate else {}),
        }
        if feed := self._feed():
            fed = feed.server(setup, port)
            plan["feed"] = (fed.plan or {}).get("feed")
            environment |= fed.environment or {}
        return Configuration(plan=plan, environment=environment, has_result=False)

    def client_of(self, index: int, setup: Setup, port: int) -> Configuration:
        """Configure the bots, or as the second process the subscribers of the lobby."""
        feed = self._feed()
        if index == 0 or feed is None:
            return self.client(setup, port)
        return feed.client(setup, port)

    def _feed(self) -> Feed | None:
        """Return the feed of the lobby; ``None`` without a lobby."""
        if self.lobby is None:
            return None
        return self.lobby.beside(
            connections=self.connections,
            planned_s=self.duration_s + self.drain_s,
            tls=self.tls,
        )

    def client(self, setup: Setup, port: int) -> Configuration:
        """Configure the engine, the only client of an echo."""
        is_polled = self.is_polled and setup.protocol == "socketio"
        plan = load_plan(
            url=setup.url(port, self.path),
            protocol=protocol_plan(setup.protocol, self.path, transport=self.transport),
            workload={
                **self.exchange_plan(setup.limit_s),
                **({} if self.reply == "same" else {"reply": {"kind": self.reply}}),
            },
            tls=setup.tls,
            congestion_control=setup.congestion_control,
            connections=self.connections,
            compression={} if self.deflate else None,
            slices=True if self.slices else None,
            **setup.connection_limits.load_keys(
                self.connections * (2 if is_polled else 1)
            ),
        )
        return Configuration(plan=plan, environment=None)

    def driver_report(self, reports: Reports) -> ClientReport:
        """Return the report of the bots, not that of a lobby's subscribers."""
        return reports.clients[0]

    def extra_faults(self, reports: Reports, window: Window) -> Iterator[str]:
        """Yield what the subscribers of a lobby lacked, and refused compression."""
        compression = load_of(self.driver_report(reports)).compression
        if compression and (refused := compression.connections.get(UNCOMPRESSED)):
            yield f"{refused:,} of the connections are not compressed"
        for client in reports.clients[1:]:
            assert self.lobby, "only a lobby has a second process"
            yield from self.lobby.faults(client, window, self.connections)

    def extra_totals(
        self, reports: Reports, observed: WindowObservation
    ) -> Iterator[ProcessTotal]:
        """Yield the resources of each client process after the first."""
        for index in range(1, len(reports.clients)):
            total = total_from_samples(
                process_name("client", index),
                observed.observation,
                observed.window.duration_ns,
            )
            if total:
                yield total

    def extra_metrics(
        self, reports: Reports, observed: WindowObservation, server: EndEvidence
    ) -> Iterator[MetricValue]:
        """Yield the traffic, and what the server used for each answer."""
        load = load_of(self.driver_report(reports))
        window_ns = observed.window.duration_ns
        factor = None
        if not self.tls:
            observation = aggregate_by_end(observed.observation)
            factor = network_bytes_per_byte("server", observation, window_ns)
        yield from _wire_metrics(reports.clients, load, factor)
        if server.utilization is not None:
            yield server_metric("cpu_idle_share", 1 - server.utilization)
        if server.cpu_cores is not None:
            us_each = server.cpu_cores * window_ns / exchange_of(load).completed / 1000
            yield server_metric("server_cpu_us_per_event", us_each)


def _wire_metrics(
    clients: Sequence[ClientReport], load: LoadResult, network_factor: float | None
) -> Iterator[MetricValue]:
    """
    Yield the traffic in the seconds that lie within the window.

    The bytes are those of all clients; the events are the messages of the first one.
    ``network_factor`` is the number of bytes on the network per byte above TCP;
    ``None`` if it is not known.
    """

    def seconds_within(client: ClientReport) -> list[SecondReport]:
        begin_ns = client.opened_ns - load.window_start_ns
        return [
            second
            for second in client.seconds
            if 0 <= begin_ns + second.second * SECOND_NS <= load.window_ns - SECOND_NS
        ]

    within = [seconds_within(report) for report in clients]
    if not all(within):
        return
    bytes_per_s = sum(
        sum(second.read_bytes + second.written_bytes for second in seconds)
        / len(seconds)
        for seconds in within
    )
    events_per_s = sum(row.messages for row in within[0]) / len(within[0])
    levels = {"wire": 1.0, "network": network_factor}
    for level, factor in levels.items():
        if factor is not None:
            yield client_metric(f"{level}_bytes_per_s", factor * bytes_per_s)
        if factor is not None and events_per_s:
            yield client_metric(
                f"{level}_bytes_per_event", factor * bytes_per_s / events_per_s
            )
