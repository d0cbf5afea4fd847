"""
The ends of a trial: how a process of each is launched, and what its lines mean.

An end is the engine or a contestant; nothing but these four classes tells them apart.
The engine is configured by a plan (docs/format.md), a contestant by its environment
(docs/contract.md, 3 to 8).
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from collections.abc import Sequence as Ordered
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from autostrada.engine.messages import (
    Count,
    LoadResult,
    ServeResult,
)
from autostrada.engine.plans import ADDRESS, Protocol
from autostrada.engine.process import LINE_BYTES_MAX, Document, load_words, serve_words
from autostrada.errors import Crashed, EngineError, TimedOut
from autostrada.machine.process import LINE_BYTES_MAX as CONTESTANT_LINE_BYTES_MAX
from autostrada.machine.process import Process
from autostrada.runner.lines import (
    expect_exit,
    how_it_ended,
    parse_line,
    receive,
)
from autostrada.stats.buckets import middle_ns
from autostrada.stats.evidence import EndName
from autostrada.workloads.report import (
    ClientReport,
    Configuration,
    SecondReport,
    SequenceCounts,
    ServerReport,
    Setup,
)

SECOND_NS = 1_000_000_000
Duration = Annotated[str, Field(pattern=r"^(0|[1-9][0-9]{0,18})$")]

Given = TypeVar("Given")

RESULT_LIMIT_S = 5.0
"""Until the engine's server has its results when all of its clients are gone."""

OF_A_CLIENT = {"LINES": "json", "NO_PROXY": "*", "no_proxy": "*"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Program:
    """How to start one program of a contestant that is built."""

    words: Ordered[str]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    protocol: Protocol = "websocket"
    deflate: bool = False
    """It knows ``COMPRESSION``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Launch:
    """How one process is launched, by a run or by hand."""

    words: Ordered[str]
    folder: Path = Path()
    environment: Mapping[str, str] = field(default_factory=dict)
    documents: Ordered[Document] = ()
    """What it reads from its stdin, one a line."""

    line_bytes_max: int = CONTESTANT_LINE_BYTES_MAX
    waits_for_observation: bool = False
    """Whether it answers no handshake before it is told which processes to observe."""


class Endpoint(ABC):
    """One end of a trial."""

    end: ClassVar[EndName]
    is_engine: ClassVar[bool]

    @property
    def protocol(self) -> Protocol | None:
        """What it speaks; ``None``: everything."""
        return None

    @property
    def compresses(self) -> bool:
        """Whether it knows compression."""
        return True

    @abstractmethod
    def launch(self, configuration: Configuration, setup: Setup, port: int) -> Launch:
        """Return how a process is launched; servers listen on the port."""

    @abstractmethod
    def read(
        self, process: Process, deadline_s: float, configuration: Configuration
    ) -> ServerReport | ClientReport:
        """
        Read what a process prints: of a client to its end, of a server its report.

        Raises:
            ContestantError: it breaks its contract.
        """


class EngineServer(Endpoint):
    """``autostrada-engine serve``."""

    end: ClassVar[EndName] = "server"
    is_engine: ClassVar[bool] = True

    def __init__(self, engine: Path) -> None:
        self._engine = engine

    def launch(self, configuration: Configuration, setup: Setup, port: int) -> Launch:
        """Return how it is launched: with its plan on stdin."""
        del setup, port
        plan = _given(configuration.plan)
        return Launch(
            words=serve_words(self._engine),
            documents=[plan],
            line_bytes_max=LINE_BYTES_MAX,
            waits_for_observation="hold_until_observing" in plan,
        )

    def read(
        self, process: Process, deadline_s: float, configuration: Configuration
    ) -> ServerReport:
        """
        Read its results: until there is one of each connection, or to its end.

        It is given more time than its clients: it sees when they are gone.
        """
        connections = _given(configuration.plan).get("connections")
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
            raise TimedOut("was still serving when its time was over") from error
        if status != 0:
            raise Crashed(f"{how_it_ended(status)} while it served")
        counted = results or seconds
        return ServerReport(
            messages=sum(each.messages for each in counted),
            payload_bytes=sum(each.bytes for each in counted),
            seconds=tuple(seconds),
            is_whole=bool(results),
            served=tuple(results),
        )


class EngineClient(Endpoint):
    """``autostrada-engine load``."""

    end: ClassVar[EndName] = "client"
    is_engine: ClassVar[bool] = True

    def __init__(self, engine: Path) -> None:
        self._engine = engine

    def launch(self, configuration: Configuration, setup: Setup, port: int) -> Launch:
        """Return how it is launched: it does nothing before it has read its plan."""
        del setup, port
        return Launch(
            words=load_words(self._engine),
            documents=[_given(configuration.plan)],
            line_bytes_max=LINE_BYTES_MAX,
        )

    def read(
        self, process: Process, deadline_s: float, configuration: Configuration
    ) -> ClientReport:
        """Read its result, to its end; its window may end before the server closes."""
        received = receive(process, deadline_s, LoadResult)
        expect_exit(process, deadline_s)
        result = received.result
        is_cut_off = configuration.may_be_cut_off and result.ended == "complete"
        if is_cut_off and not (received.seconds and received.seconds[-1].messages):
            raise TimedOut("was still running when its time was over")
        return ClientReport(
            connections=result.connections,
            messages=result.messages,
            payload_bytes=result.bytes,
            wrong=result.wrong,
            opened_ns=result.opened_ns,
            ready_ns=result.window_start_ns,
            ended_ns=result.received_ns,
            seconds=tuple(received.seconds),
            sequence=(
                SequenceCounts.model_validate(result.sequence.model_dump())
                if result.sequence
                else None
            ),
            latencies=tuple(
                (middle_ns(lowest), count)
                for lowest, count in result.delivery_time_ns or ()
            ),
            load=result,
            is_cut_off=is_cut_off,
        )


class ContestantServer(Endpoint):
    """A contestant's server."""

    end: ClassVar[EndName] = "server"
    is_engine: ClassVar[bool] = False

    def __init__(self, program: Program) -> None:
        self._program = program

    @property
    def protocol(self) -> Protocol | None:
        """What it speaks."""
        return self._program.protocol

    def launch(self, configuration: Configuration, setup: Setup, port: int) -> Launch:
        """Return how it is launched: docs/contract.md, 8."""
        environment = {
            **self._program.environment,
            "HOST": ADDRESS,
            "PORT": str(port),
            **_given(configuration.environment),
        }
        if setup.tls:
            environment["TLS_CERT"] = setup.tls.certificate_file
            environment["TLS_KEY"] = setup.tls.key_file
        return Launch(
            words=self._program.words,
            folder=self._program.folder,
            environment=environment,
        )

    def read(
        self, process: Process, deadline_s: float, configuration: Configuration
    ) -> ServerReport:
        """Read its result of one feed; it goes on running."""
        del configuration
        received = receive(process, deadline_s, _ContestantServerResult)
        return ServerReport(
            messages=received.result.messages,
            payload_bytes=received.result.bytes,
            seconds=tuple(received.seconds),
        )


class ContestantClient(Endpoint):
    """A contestant's client."""

    end: ClassVar[EndName] = "client"
    is_engine: ClassVar[bool] = False

    def __init__(self, program: Program) -> None:
        self._program = program

    @property
    def protocol(self) -> Protocol | None:
        """What it speaks."""
        return self._program.protocol

    @property
    def compresses(self) -> bool:
        """Whether it claims to know compression."""
        return self._program.deflate

    def launch(self, configuration: Configuration, setup: Setup, port: int) -> Launch:
        """Return how it is launched: docs/contract.md, 3 and 7."""
        del setup, port
        configured = dict(_given(configuration.environment))
        if not self._program.deflate:
            configured.pop("COMPRESSION", None)
        return Launch(
            words=self._program.words,
            folder=self._program.folder,
            environment={**self._program.environment, **configured, **OF_A_CLIENT},
        )

    def read(
        self, process: Process, deadline_s: float, configuration: Configuration
    ) -> ClientReport:
        """
        Read its result, to its end.

        A server that waits for nobody may have kept more for it than it can receive in
        the time that there is: what it has received until then is what it could.
        """
        so_far = _SoFar()
        try:
            received = receive(process, deadline_s, ClientResult, so_far.note)
        except TimedOut:
            if not (configuration.may_be_cut_off and so_far.is_receiving):
                raise
            return so_far.cut_off(time.monotonic_ns())
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
        )


class ClientResult(BaseModel):
    """The last line of a contestant's client: docs/contract.md, 3 and 7."""

    model_config = ConfigDict(frozen=True, strict=True)

    event: Literal["result"]
    connections: Count
    messages: Count
    bytes: Count = 0
    """Of a feed: docs/contract.md, 3.2."""

    opened_ns: Count
    received_ns: Count
    wrong: Count = 0
    sequence: SequenceCounts | None = None
    latency_ns: dict[Duration, Count] | None = None


class _ContestantServerResult(BaseModel):
    """What a contestant's server prints of one feed: docs/contract.md, 8.9."""

    model_config = ConfigDict(frozen=True, strict=True)

    event: Literal["result"]
    messages: Count
    bytes: Count


class _SoFar:
    """What a client has received before it has said so in a result."""

    def __init__(self) -> None:
        self._seconds: list[SecondReport] = []
        self._opened_ns = 0

    def note(self, second: SecondReport) -> None:
        """Take a second, which was over just before this instant at the latest."""
        begun_ns = time.monotonic_ns() - (second.second + 1) * SECOND_NS
        self._opened_ns = min(self._opened_ns, begun_ns) if self._seconds else begun_ns
        self._seconds.append(second)

    @property
    def is_receiving(self) -> bool:
        """Whether anything came in the last second."""
        return bool(self._seconds) and self._seconds[-1].messages > 0

    def cut_off(self, now_ns: int) -> ClientReport:
        """Return it as what came to the client; connections are not known yet."""
        return ClientReport(
            connections=0,
            messages=sum(each.messages for each in self._seconds),
            payload_bytes=sum(each.bytes for each in self._seconds),
            wrong=0,
            opened_ns=self._opened_ns,
            ready_ns=self._opened_ns,
            ended_ns=now_ns,
            seconds=tuple(self._seconds),
            is_cut_off=True,
        )


def _given(configured: Given | None) -> Given:
    """
    Return what an endpoint is configured with.

    Raises:
        EngineError: it has no part in the workload: the experiment was not checked.
    """
    if configured is None:
        raise EngineError("a workload has nothing to configure this endpoint with")
    return configured
