"""The test rig: runs a server and a client for one fault case, and reads reports."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from autostrada.calibration.fault_cases import (
    OBSERVED,
    PAUSE_MS,
    FaultCase,
    Kind,
    Topology,
)
from autostrada.calibration.judgement import Evidence
from autostrada.calibration.parser import read
from autostrada.calibration.plans import load_plan, serve_plan
from autostrada.engine.plans import observe_plan
from autostrada.engine.process import Document, PlannedProcess, engine_command
from autostrada.errors import EngineError
from autostrada.machine.host import Host
from autostrada.machine.noise import Noise, between, take_snapshot
from autostrada.machine.process import Process

PAUSE_AFTER_S = 0.4
OBSERVE_EVERY_MS = 20
SERVER = "server"


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """The resources that the server uses at an instant."""

    resident_bytes: int
    cpu_ns: int
    """CPU time since the server started."""


NOTHING_USED = Usage(resident_bytes=0, cpu_ns=0)


class Rig:
    """The engine, the independent peer, and the cores that they run on."""

    def __init__(self, engine: Path, host: Host) -> None:
        self._engine = engine
        self._host = host

    def machine(self) -> Document:
        """Return the engine's report on this machine's capabilities (``probe``)."""
        arguments = [str(self._engine), "probe"]
        with started(arguments, self._host.client_cpus) as probe:
            return probe.line("machine")

    def measure(
        self, case: FaultCase, *, is_healthy: bool = False
    ) -> tuple[Evidence, Noise]:
        """
        Measure a case once, or with ``is_healthy`` its control without the fault.

        Raises:
            EngineError: a process fails. Faults in the exchange are figures instead.
        """
        with ExitStack() as stack:
            server = stack.enter_context(
                started(
                    server_arguments(case.topology, self._engine),
                    self._host.server_cpus,
                )
            )
            server.send(serve_plan(case, is_healthy=is_healthy))
            url = server.line("ready")["url"]
            observer = None
            used = NOTHING_USED
            if case.kind in OBSERVED:
                observer = stack.enter_context(self._observing(server.pid))
                used = _usage(observer)
            before = take_snapshot([server.pid])
            result, paused_ns = self._load(case, url)
            after = take_snapshot([server.pid])
            held_ns: list[int] = []
            if case.topology is Topology.PEER_SERVER:
                server.process.send("\n")
                held_ns = server.line("held")["held_ns"]
            used_after = _usage(observer) if observer else used
        evidence = Evidence(
            reading=read(result),
            held_ns=held_ns,
            growth_bytes=used_after.resident_bytes - used.resident_bytes,
            cpu_ns=used_after.cpu_ns - used.cpu_ns,
            paused_ns=paused_ns,
        )
        return evidence, between(before, after)

    def _load(self, case: FaultCase, url: str) -> tuple[Document, int]:
        with started(
            client_arguments(case.topology, self._engine), self._host.client_cpus
        ) as client:
            client.send(load_plan(case, url))
            client.line("ready")
            paused_ns = _pause(client.pid) if case.kind is Kind.PAUSE else 0
            result = client.line("result")
            client.wait()
            return result, paused_ns

    @contextmanager
    def _observing(self, pid: int) -> Iterator[PlannedProcess]:
        arguments = [str(self._engine), "observe"]
        with started(arguments, self._host.client_cpus) as observer:
            plan = observe_plan(
                processes={SERVER: pid},
                every_ms=OBSERVE_EVERY_MS,
                sockets=False,
                host=False,
            )
            observer.send(plan)
            yield observer


def server_arguments(topology: Topology, engine: Path) -> list[str]:
    """Return the command line of the server: the engine, or the independent peer."""
    if topology is Topology.PEER_SERVER:
        return [sys.executable, "-m", "autostrada.calibration.peer.server"]
    return [str(engine), "serve", "--plan"]


def client_arguments(topology: Topology, engine: Path) -> list[str]:
    """Return the command line of the client: the engine, or the independent peer."""
    if topology is Topology.PEER_CLIENT:
        return [sys.executable, "-m", "autostrada.calibration.peer.client"]
    return [str(engine), "load"]


@contextmanager
def started(arguments: list[str], cpus: frozenset[int]) -> Iterator[PlannedProcess]:
    """Run a program on given cores."""
    with Process(engine_command(arguments, cpus)) as process:
        yield PlannedProcess(process)


def _usage(observer: PlannedProcess) -> Usage:
    """Return the server's usage in a sample taken after this call."""
    called_ns = time.monotonic_ns()
    while True:
        sample = observer.line("sample")
        server = sample["processes"].get(SERVER)
        if server is None:
            raise EngineError("the server's CPU time and memory cannot be read")
        if sample["at_ns"] >= called_ns:
            return Usage(
                resident_bytes=server["resident_bytes"], cpu_ns=server["cpu_ns"]
            )


def _pause(pid: int) -> int:
    """Stop a child process for ``PAUSE_MS``; return the measured pause in ns."""
    time.sleep(PAUSE_AFTER_S)
    begun_ns = time.monotonic_ns()
    os.kill(pid, signal.SIGSTOP)
    time.sleep(PAUSE_MS / 1000)
    os.kill(pid, signal.SIGCONT)
    return time.monotonic_ns() - begun_ns
