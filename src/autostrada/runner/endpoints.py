"""
The endpoints of a trial: how a process is launched, and how its output is read.

An endpoint is the engine or a contestant; only these classes distinguish them.
The engine is configured by a plan (docs/format.md), a contestant by environment
variables (docs/contract.md, docs/published.md).
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from collections.abc import Sequence as Ordered
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from autostrada.contestants.catalog import find_catalog
from autostrada.contestants.contestant import FOR_CLIENTS
from autostrada.engine.messages import (
    Count,
    LoadResult,
    ServeResult,
)
from autostrada.engine.plans import Protocol
from autostrada.engine.process import (
    LINE_BYTES_MAX,
    Document,
    load_arguments,
    serve_arguments,
)
from autostrada.errors import Crashed, EngineError, TimedOut
from autostrada.machine.process import LINE_BYTES_MAX as CONTESTANT_LINE_BYTES_MAX
from autostrada.machine.process import RunningProgram
from autostrada.runner.lines import (
    describe_exit,
    expect_exit,
    parse_line,
    receive,
)
from autostrada.stats.buckets import Buckets
from autostrada.stats.evidence import EndName
from autostrada.workloads.report import (
    PACED,
    ClientReport,
    Configuration,
    SecondReport,
    SequenceCounts,
    ServerReport,
    Setup,
)

SECOND_NS = 1_000_000_000
Duration = Annotated[str, Field(pattern=r"^(0|[1-9][0-9]{0,18})$")]

Value = TypeVar("Value")

RESULT_LIMIT_S = 5.0
"""Time in which the engine's server reports after its last client has exited."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BuiltProgram:
    """How to start one program of a contestant whose build is finished."""

    arguments: Ordered[str]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    protocol: Protocol = "websocket"
    deflate: bool = False
    """Whether the program supports the variable ``COMPRESSION``."""

    warm_up_s: float = 0.0
    """Time under load, in seconds, after which its rate no longer grows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Launch:
    """How one process is launched, by a run or manually."""

    arguments: Ordered[str]
    folder: Path = Path()
    environment: Mapping[str, str] = field(default_factory=dict)
    documents: Ordered[Document] = ()
    """JSON documents that are written to the process's stdin, one per line."""

    line_bytes_max: int = CONTESTANT_LINE_BYTES_MAX
    waits_for_observation: bool = False
    """Whether the server answers handshakes only after it has received the list of
    observed processes."""


class Endpoint(ABC):
    """One endpoint of a trial."""

    end: EndName
    is_engine: bool
    protocol: Protocol | None = None
    """The protocol that the endpoint speaks; ``None`` if it speaks all of them."""

    compresses = True
    """Whether the endpoint supports compression."""

    warm_up_s = 0.0
    """Time under load, in seconds, after which its rate no longer grows."""

    @abstractmethod
    def launch(self, configuration: Configuration, setup: Setup, port: int) -> Launch:
        """Return how a process is launched; a server listens on ``port``."""

    @abstractmethod
    def read(
        self, process: RunningProgram, deadline_s: float, configuration: Configuration
    ) -> ServerReport | ClientReport:
        """
        Read the report of a process from its stdout.

        For a client, also wait for its exit. ``deadline_s`` is a monotonic time.

        Raises:
            ContestantError: the process breaks its contract.
        """


class EngineServer(Endpoint):
    """``autostrada-engine serve``, or ``load`` as the server of its clients."""

    end: EndName = "server"
    is_engine = True

    def __init__(self, engine: Path) -> None:
        self._engine = engine

    def launch(self, configuration: Configuration, setup: Setup, port: int) -> Launch:
        """Return how the server is launched; it reads its plan from stdin."""
        del setup, port
        plan = _required(configuration.plan)
        arguments = load_arguments if configuration.is_load else serve_arguments
        return Launch(
            arguments=arguments(self._engine),
            documents=[plan],
            line_bytes_max=LINE_BYTES_MAX,
            waits_for_observation="hold_until_observing" in plan,
        )

    def read(
        self, process: RunningProgram, deadline_s: float, configuration: Configuration
    ) -> ServerReport | ClientReport:
        """
        Read one result per connection, or all results up to the end of the output.

        A load has one result, which is that of a client. Otherwise the deadline is
        extended by ``2 * RESULT_LIMIT_S``, because the server can report only after its
        clients have disconnected.

        Raises:
            Crashed: the server ends with a status other than 0.
            TimedOut: the server has not reported by the extended deadline.
        """
        if configuration.is_load:
            return _load_report(process, deadline_s, configuration)
        connections = _required(configuration.plan).get("connections")
        seconds: list[SecondReport] = []
        results: list[ServeResult] = []
        deadline_s += 2 * RESULT_LIMIT_S
        try:
            while len(results) != connections:
                line = process.read_line(deadline_s)
                if line is None:
                    status = process.wait(deadline_s)
                    break
                event = parse_line(line, ServeResult)
                if isinstance(event, SecondReport):
                    seconds.append(event)
                elif event is not None:
                    results.append(event)
            else:
                status = 0
        except TimeoutError as error:
            raise TimedOut("was still serving at its time limit") from error
        if status != 0:
            raise Crashed(f"{describe_exit(status)} while it served")
        counted = results or seconds
        return ServerReport(
            messages=sum(counts.messages for counts in counted),
            payload_bytes=sum(counts.bytes for counts in counted),
            seconds=tuple(seconds),
            is_whole=bool(results),
            served=tuple(results),
        )


class EngineClient(Endpoint):
    """``autostrada-engine load``."""

    end: EndName = "client"
    is_engine = True

    def __init__(self, engine: Path) -> None:
        self._engine = engine

    def launch(self, configuration: Configuration, setup: Setup, port: int) -> Launch:
        """Return how the client is launched; it waits for its plan on stdin."""
        del setup, port
        return Launch(
            arguments=load_arguments(self._engine),
            documents=[_required(configuration.plan)],
            line_bytes_max=LINE_BYTES_MAX,
        )

    def read(
        self, process: RunningProgram, deadline_s: float, configuration: Configuration
    ) -> ClientReport:
        """
        Read the client's result and wait for its exit.

        The report is marked as cut off if the window of a workload that permits this
        ended before the server closed the connections.
        """
        return _load_report(process, deadline_s, configuration)


class ContestantEndpoint(Endpoint):
    """A program of a contestant."""

    is_engine = False

    def __init__(self, program: BuiltProgram) -> None:
        self._program = program
        self.protocol = program.protocol
        self.compresses = program.deflate
        self.warm_up_s = program.warm_up_s


class ContestantServer(ContestantEndpoint):
    """A contestant's server."""

    end: EndName = "server"

    def launch(self, configuration: Configuration, setup: Setup, port: int) -> Launch:
        """Return how the server is launched: docs/contract.md, 4."""
        environment = {
            **self._program.environment,
            "HOST": setup.address,
            "PORT": str(port),
            **_required(configuration.environment),
        }
        if "STOCKS" in environment:
            environment["STOCKS_FILE"] = str(find_catalog().stocks_file)
        if setup.tls:
            environment["TLS_CERT"] = setup.tls.certificate_file
            environment["TLS_KEY"] = setup.tls.key_file
        return Launch(
            arguments=self._program.arguments,
            folder=self._program.folder,
            environment=environment,
        )

    def read(
        self, process: RunningProgram, deadline_s: float, configuration: Configuration
    ) -> ServerReport:
        """Read the server's result of one feed; the server keeps running."""
        del configuration
        received = receive(process, deadline_s, _ContestantServerResult)
        return ServerReport(
            messages=received.result.messages,
            payload_bytes=received.result.bytes,
            seconds=tuple(received.seconds),
            pace=self._program.environment.get("PACE", PACED),
        )


class ContestantClient(ContestantEndpoint):
    """A contestant's client."""

    end: EndName = "client"

    def launch(self, configuration: Configuration, setup: Setup, port: int) -> Launch:
        """Return how the client is launched: docs/contract.md, 3."""
        del port
        configured = dict(_required(configuration.environment))
        if not self._program.deflate:
            configured.pop("COMPRESSION", None)
        if setup.tls:
            configured["SSL_CERT_FILE"] = setup.tls.ca_file
        return Launch(
            arguments=self._program.arguments,
            folder=self._program.folder,
            environment={**self._program.environment, **configured, **FOR_CLIENTS},
        )

    def read(
        self, process: RunningProgram, deadline_s: float, configuration: Configuration
    ) -> ClientReport:
        """
        Read the client's result and wait for its exit.

        A server that does not wait for slow clients may have buffered more than the
        client can receive before the deadline. If the workload permits it, the report
        then consists of what was received up to the deadline (``is_cut_off``).
        """
        partial = PartialReport()
        try:
            received = receive(process, deadline_s, ClientResult, partial.note)
        except TimedOut:
            if not (configuration.may_be_cut_off and partial.is_receiving):
                raise
            return partial.cut_off(time.monotonic_ns())
        expect_exit(process, deadline_s)
        result = received.result
        latency_ns = result.latency_ns or {}
        return ClientReport(
            connections=result.connections,
            messages=result.messages,
            payload_bytes=result.bytes,
            wrong=result.wrong,
            opened_ns=result.opened_ns,
            ready_ns=result.opened_ns,
            ended_ns=result.received_ns,
            seconds=tuple(received.seconds),
            sequence=result.sequence,
            latencies=tuple((int(value), count) for value, count in latency_ns.items()),
            is_cut_off=result.cut_off,
        )


class ClientResult(BaseModel):
    """The last line that a contestant's client prints: docs/contract.md, 3.3."""

    model_config = ConfigDict(frozen=True, strict=True)

    event: Literal["result"]
    connections: Count
    messages: Count
    bytes: Count = 0
    """Payload bytes received in a feed: docs/published.md, 2.1."""

    opened_ns: Count
    received_ns: Count
    wrong: Count = 0
    sequence: SequenceCounts | None = None
    latency_ns: dict[Duration, Count] | None = None
    cut_off: bool = False
    """Whether the client ended itself before the feed did: docs/published.md, 2.1."""


class _ContestantServerResult(BaseModel):
    """The result of a feed of a contestant's server: docs/published.md, 1.4."""

    model_config = ConfigDict(frozen=True, strict=True)

    event: Literal["result"]
    messages: Count
    bytes: Count


class PartialReport:
    """The messages that a client has reported per second before its result."""

    def __init__(self) -> None:
        self._seconds: list[SecondReport] = []
        self._opened_ns = 0

    def note(self, second: SecondReport) -> None:
        """Add the report of a second that ended at the latest at this instant."""
        begun_ns = time.monotonic_ns() - (second.second + 1) * SECOND_NS
        self._opened_ns = min(self._opened_ns, begun_ns) if self._seconds else begun_ns
        self._seconds.append(second)

    @property
    def is_receiving(self) -> bool:
        """Whether messages were received in the last reported second."""
        return bool(self._seconds) and self._seconds[-1].messages > 0

    def cut_off(self, now_ns: int) -> ClientReport:
        """Return a cut-off report; the number of connections in it is unknown (0)."""
        return ClientReport(
            connections=0,
            messages=sum(second.messages for second in self._seconds),
            payload_bytes=sum(second.bytes for second in self._seconds),
            wrong=0,
            opened_ns=self._opened_ns,
            ready_ns=self._opened_ns,
            ended_ns=now_ns,
            seconds=tuple(self._seconds),
            is_cut_off=True,
        )


def _load_report(
    process: RunningProgram, deadline_s: float, configuration: Configuration
) -> ClientReport:
    received = receive(process, deadline_s, LoadResult)
    expect_exit(process, deadline_s)
    result = received.result
    is_cut_off = configuration.may_be_cut_off and result.ended == "complete"
    if is_cut_off and not (received.seconds and received.seconds[-1].messages):
        raise TimedOut("was still running at its time limit")
    return ClientReport(
        connections=result.connections,
        messages=result.messages,
        payload_bytes=result.bytes,
        wrong=result.wrong,
        opened_ns=result.opened_ns,
        ready_ns=result.window_start_ns,
        ended_ns=result.received_ns,
        seconds=tuple(received.seconds),
        sequence=result.sequence,
        latencies=tuple(Buckets(result.delivery_time_ns or ()).values),
        load=result,
        is_cut_off=is_cut_off,
    )


def _required(configured: Value | None) -> Value:
    """
    Return a part of a configuration that this kind of endpoint needs.

    Raises:
        EngineError: the workload does not support this kind of endpoint; checking the
            experiment should have prevented this.
    """
    if configured is None:
        raise EngineError("the workload has no configuration for this endpoint")
    return configured
