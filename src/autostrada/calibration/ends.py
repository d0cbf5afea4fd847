"""The ends of a case: the engine or the independent peer, which may have a fault."""

import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from autostrada.calibration.fault_cases import PAUSE_MS
from autostrada.engine.process import Document, read_event
from autostrada.machine.noise import waited_ns
from autostrada.machine.process import Process, RunningProgram
from autostrada.runner.endpoints import Endpoint, Launch
from autostrada.workloads.report import (
    ClientReport,
    Configuration,
    ServerReport,
    Setup,
)

PAUSE_AFTER_S = 0.4


@dataclass(frozen=True, kw_only=True, slots=True)
class Injection:
    """What distinguishes an end of a case from the engine in a run."""

    program: str | None = None
    """Program of the independent peer; ``None`` for the engine."""

    keys: Mapping[str, object] = field(default_factory=dict)
    """Keys added to its plan."""

    is_measuring: bool = False
    """Whether it measures; otherwise it is in the place of a contestant."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PeerReport(ClientReport):
    """The report of a client of the peer."""

    result: Document
    """Its line ``result``."""


class CaseEnd(Endpoint):
    """An end with an injection."""

    def __init__(self, engine_end: Endpoint, injection: Injection) -> None:
        self.end = engine_end.end
        self.is_engine = injection.is_measuring
        self._engine_end = engine_end
        self._injection = injection

    def launch(self, configuration: Configuration, setup: Setup, port: int) -> Launch:
        launch = self._engine_end.launch(configuration, setup, port)
        (plan,) = launch.documents
        arguments = launch.arguments
        if program := self._injection.program:
            module = f"autostrada.calibration.peer.{program}"
            arguments = [sys.executable, "-m", module]
        documents = [{**plan, **self._injection.keys}]
        return replace(launch, arguments=arguments, documents=documents)

    def read(
        self, process: RunningProgram, deadline_s: float, configuration: Configuration
    ) -> ServerReport | ClientReport:
        if self.end == "server" or not self._injection.program:
            return self._engine_end.read(process, deadline_s, configuration)
        result = read_event(process, "result")
        process.wait(deadline_s)
        return PeerReport(
            connections=1,
            messages=result["messages"],
            payload_bytes=0,
            wrong=0,
            opened_ns=result["opened_ns"],
            ready_ns=result["opened_ns"],
            ended_ns=result["ended_ns"],
            seconds=(),
            result=result,
        )


class SharedCoreClient(CaseEnd):
    """A client whose core another program uses as soon as the load has begun."""

    def __init__(
        self, engine_end: Endpoint, injection: Injection, burner: Process
    ) -> None:
        super().__init__(engine_end, injection)
        self._burner = burner

    def read(
        self, process: RunningProgram, deadline_s: float, configuration: Configuration
    ) -> ServerReport | ClientReport:
        """Let the other program begin, and read the result."""
        self._burner.send("\n")
        return super().read(process, deadline_s, configuration)


class FaultClient(CaseEnd):
    """The client of a fault case, which is stopped for a while if it ``pauses``."""

    def __init__(
        self, engine_end: Endpoint, injection: Injection, *, pauses: bool
    ) -> None:
        super().__init__(engine_end, injection)
        self._pauses = pauses
        self.has_ended = threading.Event()
        self.paused_ns = 0
        """Time for which it was stopped."""

    def read(
        self, process: RunningProgram, deadline_s: float, configuration: Configuration
    ) -> ServerReport | ClientReport:
        """Read the result, after a pause if there is one."""
        assert isinstance(process, Process), "a case runs on this machine"
        try:
            if self._pauses:
                time.sleep(PAUSE_AFTER_S)
                begun_ns = time.monotonic_ns()
                process.stop()
                time.sleep(PAUSE_MS / 1000)
                process.resume()
                self.paused_ns = time.monotonic_ns() - begun_ns
            report = super().read(process, deadline_s, configuration)
        finally:
            self.has_ended.set()
        if isinstance(report, PeerReport):
            self.result = report.result
        elif isinstance(report, ClientReport) and report.load:
            self.result = report.load.model_dump()
        return report


class FaultServer(CaseEnd):
    """The server of a fault case, which is asked when its client has ended."""

    def __init__(
        self, engine_end: Endpoint, injection: Injection, client: FaultClient
    ) -> None:
        super().__init__(engine_end, injection)
        self._client = client
        self.held_ns: Sequence[int] = ()
        """Times from due to sent of each answer of the peer."""

        self.waited_ns = 0
        """Time in which it was ready to run and had no core."""

    def read(
        self, process: RunningProgram, deadline_s: float, configuration: Configuration
    ) -> ServerReport:
        """Wait for the end of the client; a server of faults reports no messages."""
        assert isinstance(process, Process), "a case runs on this machine"
        before_ns = waited_ns(process.pid)
        self._client.has_ended.wait(deadline_s - time.monotonic())
        self.waited_ns = waited_ns(process.pid) - before_ns
        if self._injection.program:
            process.send("\n")
            self.held_ns = read_event(process, "held")["held_ns"]
        return ServerReport(messages=0, payload_bytes=0, seconds=())
