"""An echo: connections send messages, and the server returns them."""

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from autostrada.engine.messages import Exchange, LoadResult
from autostrada.engine.plans import (
    Protocol,
    constant,
    load_plan,
    protocol_plan,
    serve_plan,
    url_of,
)
from autostrada.errors import ClosedEarly, TimedOut
from autostrada.evidence.end_figures import end_figures
from autostrada.evidence.ends import (
    TrialEnd,
    end_evidence,
    network_bytes_per_byte,
    total_from_samples,
)
from autostrada.evidence.joined import joined, process_name
from autostrada.evidence.results import UNANSWERED, busy_share, load_evidence
from autostrada.stats.buckets import Buckets, middle_ns
from autostrada.stats.durations import Value, mean_ns, quantile_ns
from autostrada.store.record import (
    Bucket,
    EndEvidence,
    Figure,
    Measurement,
    ProcessTotal,
)
from autostrada.workloads.feed import Feed
from autostrada.workloads.lobby import Lobby
from autostrada.workloads.payload import (
    PAYLOAD_BYTES_MAX,
    Encoding,
    Payload,
    encoded,
    payload_of,
)
from autostrada.workloads.report import (
    ClientReport,
    Configuration,
    Observed,
    Reports,
    SecondReport,
    Setup,
    Window,
    second_rows,
)
from autostrada.workloads.workload import Count, Seconds, Workload

PATH = "/echo"
GREETING = Payload(text="hello world")
EVERY_MS = 1000.0

WORK_US_MAX = 1_000_000
"""Maximum CPU time per message, in microseconds: docs/contract.md, 8.14."""

SECOND_NS = 1_000_000_000


class Echo(Workload):
    """
    The engine's connections send messages, which the server returns.

    They send on a schedule, answered or not (an open loop), or with ``in_flight`` after
    each answer (a closed loop).
    """

    duration_parameter: ClassVar[str] = "window_s"
    sweepable: ClassVar[frozenset[str]] = frozenset(
        {"connections", "every_ms", "in_flight", "payload_bytes", "work_us"}
    )

    kind: Literal["echo"]
    payload: Payload | None = None
    """Each message; excludes ``payload_bytes``. Without both, it is a greeting."""

    payload_bytes: Annotated[int, Field(gt=0, le=PAYLOAD_BYTES_MAX // 2)] | None = None
    """Size of an event of random letters and digits; excludes ``payload``."""

    encoding: Encoding = "text"
    """How an event of ``payload_bytes`` is sent."""

    work_us: Annotated[int, Field(ge=0, le=WORK_US_MAX)] = 0
    """CPU time, in microseconds, for which the server computes before each answer."""

    every_ms: Annotated[float, Field(gt=0)] | None = None
    """Interval between two messages of a connection in milliseconds; ``None`` for
    1000. A closed loop has none."""

    in_flight: Count | None = None
    """Unanswered messages of each connection in a closed loop; ``None`` for an open
    loop."""

    connections: Count = 1
    transport: Literal["websocket", "polling"] = "websocket"
    """Transport of Socket.IO."""

    lobby: Lobby | None = None
    """A feed to as many further connections, which a second client process receives."""

    warm_up_s: float = Field(default=1.0, ge=0)
    window_s: Seconds
    drain_s: float = Field(default=5.0, ge=0)
    tls: bool = False

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
        return self

    @model_validator(mode="after")
    def _can_have_a_lobby(self) -> Self:
        if self.lobby and self.is_polled:
            raise ValueError(
                "lobby: cannot be combined with transport polling; remove one of them"
            )
        return self

    @property
    def message(self) -> Payload:
        """Each message: the given one, the generated one, or a greeting."""
        if self.payload_bytes is not None:
            return encoded(payload_of(self.payload_bytes), self.encoding)
        return self.payload or GREETING

    @property
    def server_claims(self) -> tuple[str, ...]:
        """Keys of ``[server]`` that a contestant's manifest must set."""
        return ("work",) if self.work_us else ()

    @property
    def is_fed(self) -> bool:
        """Whether the server broadcasts the feed of a lobby."""
        return self.lobby is not None

    @property
    def client_processes(self) -> int:
        """Number of client processes: the bots, and the subscribers of the lobby."""
        return 2 if self.lobby else 1

    @property
    def is_over_tls(self) -> bool:
        """Whether connections use TLS."""
        return self.tls

    @property
    def is_polled(self) -> bool:
        """Whether messages are exchanged by HTTP long polling."""
        return self.transport == "polling"

    @property
    def required_protocol(self) -> Protocol | None:
        """Return Socket.IO if the transport is polling, otherwise ``None``."""
        return "socketio" if self.is_polled else None

    @property
    def total_connections(self) -> int:
        """Planned number of connections, without the subscribers of a lobby."""
        return self.connections

    @property
    def duration_s(self) -> float:
        """Duration of warm-up and window in seconds."""
        return self.warm_up_s + self.window_s

    def time_limit_s(self, limit_s: float) -> float:
        """Return the limit in seconds; opening connections may take ``limit_s`` too."""
        return 2 * limit_s + self.duration_s + self.drain_s

    def server(self, setup: Setup, port: int) -> Configuration:
        """Configure a server, which runs until it is ended: docs/contract.md, 8."""
        plan = serve_plan(
            listen=f"{setup.address}:{port}",
            protocol=setup.protocol,
            threads=setup.connection_limits.threads_for(self.connections),
            congestion_control=setup.congestion_control,
            tls=setup.tls,
            faults={"work_us": self.work_us} if self.work_us else None,
        )
        environment = {"WORK_US": str(self.work_us)} if self.work_us else {}
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
            url=url_of(
                setup.protocol,
                port,
                PATH,
                is_over_tls=self.tls,
                address=setup.address,
            ),
            protocol=protocol_plan(setup.protocol, PATH, transport=self.transport),
            workload={
                "kind": "echo",
                **self._loop(),
                "payload": self.message.model_dump(exclude_none=True),
                "phases": {
                    "opening_s": setup.limit_s,
                    "warm_up_s": self.warm_up_s,
                    "window_s": self.window_s,
                    "drain_s": self.drain_s,
                },
            },
            tls=setup.tls,
            congestion_control=setup.congestion_control,
            connections=self.connections,
            **setup.connection_limits.load_keys(
                self.connections * (2 if is_polled else 1)
            ),
        )
        return Configuration(plan=plan, environment=None)

    def _loop(self) -> dict[str, object]:
        """Return what decides when the engine sends."""
        if self.in_flight:
            return {"window": self.in_flight}
        rate_per_s = 1000 / (self.every_ms or EVERY_MS)
        return {"schedule": constant(rate_per_s, per="connection")}

    def window(self, reports: Reports) -> Window:
        """
        Return the engine's window.

        Raises:
            ClosedEarly: no connection opened, or all ended before the window did.
            TimedOut: no message of the window was answered.
        """
        load = _load(reports.clients[0])
        exchange = _exchange(load)
        if load.ended == "reset" or not load.connections:
            raise ClosedEarly(f"opened no connection{_example(load)}", process="server")
        broken = any(failure.kind != UNANSWERED for failure in load.failures)
        has_answers = exchange.echoed and exchange.completed
        if load.ended != "complete" or (broken and not has_answers):
            raise ClosedEarly(
                f"ended all connections before the window was over{_example(load)}",
                process="server",
            )
        if not has_answers:
            raise TimedOut(
                "answered no message of the window in time", process="server"
            )
        return Window(start_ns=load.window_start_ns, duration_ns=load.window_ns)

    def judge(self, reports: Reports, observed: Observed) -> Measurement:
        """Return the measurement from the answered messages and the observation."""
        client = reports.clients[0]
        load = _load(client)
        exchange = _exchange(load)
        window_ns = observed.window.duration_ns
        observation = joined(observed.observation)
        ends = (
            TrialEnd(
                process="client",
                is_engine=True,
                cpus=observed.ends["client"].cpus,
                busy_share=busy_share(load),
            ),
            TrialEnd(
                process="server",
                is_engine=observed.ends["server"].is_engine,
                cpus=observed.ends["server"].cpus,
                cpu_share_max=observed.ends["server"].cpu_share_max,
            ),
        )
        totals = [
            total_from_samples(end.process, observation, window_ns) for end in ends
        ]
        client_end, server_end = (
            end_evidence(end, total, observation, window_ns)
            for end, total in zip(ends, totals, strict=True)
        )
        evidence = load_evidence(load, server_end, client_end, disturbance="")
        factor = network_bytes_per_byte("server", observation, window_ns)
        return Measurement(
            messages=exchange.completed,
            payload_bytes=exchange.completed * self.message.size,
            duration_ns=window_ns,
            server_busy_share=server_end.cpu_cores,
            client_busy_share=client_end.cpu_cores,
            sender="client",
            pacing=evidence.pacing,
            achieved_share=evidence.achieved_share,
            engine_limit=load.generator_limited or "",
            faults=self._faults(reports, observed.window, evidence.faults),
            processes=(
                *(total for total in totals if total),
                *_further_totals(reports, observed),
            ),
            ends=(client_end, server_end),
            seconds=tuple(second_rows("client", client.seconds)),
            figures=(
                *exchange_figures(load),
                *_wire_figures(reports.clients, load, None if self.tls else factor),
                *end_figures("client", observation, window_ns, self.connections),
                *end_figures("server", observation, window_ns, self.connections),
                *_server_figures(server_end, window_ns, exchange),
            ),
            buckets=tuple(
                Bucket(
                    process="client",
                    figure="response_time_ns",
                    value_ns=value,
                    count=count,
                )
                for value, count in response_times(exchange)
            ),
        )

    def _faults(self, reports: Reports, window: Window, others: str) -> str:
        """
        Describe all faults: connections that never opened, ``others``, the lobby's.

        Connections that never opened do not appear in the backlog.
        """
        client, *subscribers = reports.clients
        unopened = self.connections - _load(client).connections
        faults = [f"{unopened:,} of the connections never opened"] if unopened else []
        faults += [others] if others else []
        for each in subscribers:
            assert self.lobby, "only a lobby has a second process"
            faults += self.lobby.faults(each, window, self.connections)
        return "; ".join(faults)


def exchange_figures(load: LoadResult) -> Iterator[Figure]:
    """Yield the figures (docs/experiments.md) that come from the engine's result."""
    exchange = _exchange(load)
    times = response_times(exchange)
    yield _figure("achieved_per_s", exchange.completed / (load.window_ns / SECOND_NS))
    if exchange.offered_rate_per_s is not None:
        yield from _open_loop_figures(exchange, exchange.offered_rate_per_s)
    yield _figure("response_ms_mean", mean_ns(times) / 1e6)
    for quantile, name in ((0.5, "p50"), (0.99, "p99"), (1.0, "max")):
        yield _figure(f"response_ms_{name}", quantile_ns(times, quantile) / 1e6)
    connect = Buckets(load.connect_response_time_ns)
    if connect.count:
        yield _figure("connect_ms_p50", connect.quantile_ns(0.5) / 1e6)
        yield _figure("connect_ms_p99", connect.quantile_ns(0.99) / 1e6)
        yield _figure("connect_s", connect.longest_ns / 1e9)


def _open_loop_figures(
    exchange: Exchange, offered_rate_per_s: float
) -> Iterator[Figure]:
    assert exchange.achieved_share is not None, "something was answered"
    yield _figure("offered_per_s", offered_rate_per_s)
    yield _figure("achieved_share", exchange.achieved_share)
    backlog = exchange.backlog
    yield _figure("backlog_at_window_end_messages", backlog.at_window_end)
    yield _figure("backlog_answered_in_drain_messages", backlog.answered_in_drain)
    yield _figure("backlog_unanswered_messages", backlog.unanswered)
    yield _figure("sent_share", exchange.sent / (exchange.sent + exchange.overdue))


def response_times(exchange: Exchange) -> list[Value]:
    """Return the response times as stored: the middle of each bucket, and its count."""
    return [(middle_ns(lowest), count) for lowest, count in exchange.response_time_ns]


def _wire_figures(
    clients: Sequence[ClientReport], load: LoadResult, network_factor: float | None
) -> Iterator[Figure]:
    """
    Yield the traffic in the seconds that lie within the window.

    The bytes are those of all clients; the events are the messages of the first one.
    ``network_factor`` is the number of bytes on the network per byte above TCP;
    ``None`` if it is not known.
    """

    def seconds_within(client: ClientReport) -> list[SecondReport]:
        begin_ns = client.opened_ns - load.window_start_ns
        return [
            each
            for each in client.seconds
            if 0 <= begin_ns + each.second * SECOND_NS <= load.window_ns - SECOND_NS
        ]

    within = [seconds_within(each) for each in clients]
    if not all(within):
        return
    bytes_per_s = sum(
        sum(each.read_bytes + each.written_bytes for each in seconds) / len(seconds)
        for seconds in within
    )
    events_per_s = sum(each.messages for each in within[0]) / len(within[0])
    levels = {"wire": 1.0, "network": network_factor}
    for level, factor in levels.items():
        if factor is not None:
            yield _figure(f"{level}_bytes_per_s", factor * bytes_per_s)
        if factor is not None and events_per_s:
            yield _figure(
                f"{level}_bytes_per_event", factor * bytes_per_s / events_per_s
            )


def _further_totals(reports: Reports, observed: Observed) -> Iterator[ProcessTotal]:
    """Yield the resources of each client process after the first."""
    for index in range(1, len(reports.clients)):
        name = process_name("client", index)
        total = total_from_samples(
            name, observed.observation, observed.window.duration_ns
        )
        if total:
            yield total


def _server_figures(
    server: EndEvidence, window_ns: int, exchange: Exchange
) -> Iterator[Figure]:
    if server.busy_share is not None:
        yield Figure(
            process="server", figure="cpu_idle_share", value=1 - server.busy_share
        )
    if server.cpu_cores is not None:
        yield Figure(
            process="server",
            figure="server_cpu_us_per_event",
            value=server.cpu_cores * window_ns / exchange.completed / 1000,
        )


def _load(client: ClientReport) -> LoadResult:
    assert client.load is not None, "the engine is the only client of an echo"
    return client.load


def _exchange(load: LoadResult) -> Exchange:
    assert load.exchange is not None, "the result of an echo"
    return load.exchange


def _example(load: LoadResult) -> str:
    """Return ``: `` and an example of the first failure; ``""`` if there is none."""
    return "".join(f": {each.example}" for each in load.failures[:1])


def _figure(figure: str, value: float) -> Figure:
    return Figure(process="client", figure=figure, value=float(value))
