"""The rig: starts a server and a client for one case, and reads what they say."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from autostrada.calibration.fault_cases import PAUSE_MS, FaultCase, Kind, Topology
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
OBSERVED = "server"


class Rig:
    """An engine, the independent peer, and the cores they run on."""

    def __init__(self, engine: Path, host: Host) -> None:
        self._engine = engine
        self._host = host

    def machine(self) -> Document:
        """Return what the engine finds this machine able to do."""
        words = [str(self._engine), "probe"]
        with started(words, self._host.client_cpus) as probe:
            return probe.line("machine")

    def measure(
        self, case: FaultCase, *, is_healthy: bool = False
    ) -> tuple[Evidence, Noise]:
        """
        Measure a case once, or its control: the same without a fault.

        Raises:
            EngineError: one of the processes fails; what peers do wrong is a figure.
        """
        with ExitStack() as stack:
            server = stack.enter_context(
                started(
                    server_words(case.topology, self._engine),
                    self._host.server_cpus,
                )
            )
            server.send(serve_plan(case, is_healthy=is_healthy))
            url = server.line("ready")["url"]
            observer = None
            resident_bytes = 0
            if case.kind is Kind.GROW:
                observer = stack.enter_context(self._observing(server.pid))
                resident_bytes = _resident_bytes(observer)
            before = take_snapshot([server.pid])
            result, paused_ns = self._load(case, url)
            after = take_snapshot([server.pid])
            held_ns: list[int] = []
            if case.topology is Topology.PEER_SERVER:
                server.process.send("\n")
                held_ns = server.line("held")["held_ns"]
            grown_bytes = _resident_bytes(observer) if observer else 0
        evidence = Evidence(
            reading=read(result),
            held_ns=held_ns,
            growth_bytes=grown_bytes - resident_bytes,
            paused_ns=paused_ns,
        )
        return evidence, between(before, after)

    def _load(self, case: FaultCase, url: str) -> tuple[Document, int]:
        with started(
            client_words(case.topology, self._engine), self._host.client_cpus
        ) as client:
            client.send(load_plan(case, url))
            client.line("ready")
            paused_ns = _pause(client.pid) if case.kind is Kind.PAUSE else 0
            result = client.line("result")
            client.wait()
            return result, paused_ns

    @contextmanager
    def _observing(self, pid: int) -> Iterator[PlannedProcess]:
        words = [str(self._engine), "observe"]
        with started(words, self._host.client_cpus) as observer:
            plan = observe_plan(
                processes={OBSERVED: pid},
                every_ms=OBSERVE_EVERY_MS,
                sockets=False,
                host=False,
            )
            observer.send(plan)
            yield observer


def server_words(topology: Topology, engine: Path) -> list[str]:
    """Return how the server is called: the engine, or the peer."""
    if topology is Topology.PEER_SERVER:
        return [sys.executable, "-m", "autostrada.calibration.peer.server"]
    return [str(engine), "serve", "--plan"]


def client_words(topology: Topology, engine: Path) -> list[str]:
    """Return how the client is called: the engine, or the peer."""
    if topology is Topology.PEER_CLIENT:
        return [sys.executable, "-m", "autostrada.calibration.peer.client"]
    return [str(engine), "load"]


@contextmanager
def started(words: list[str], cpus: frozenset[int]) -> Iterator[PlannedProcess]:
    """Run a program on given cores."""
    with Process(engine_command(words, cpus)) as process:
        yield PlannedProcess(process)


def _resident_bytes(observer: PlannedProcess) -> int:
    """Return the resident memory as it is from this instant on."""
    asked_ns = time.monotonic_ns()
    while True:
        sample = observer.line("sample")
        server = sample["processes"].get(OBSERVED)
        if server is None:
            raise EngineError("the server's memory cannot be read")
        if sample["at_ns"] >= asked_ns:
            return int(server["resident_bytes"])


def _pause(pid: int) -> int:
    """Stop a process of ours for a while; return for how long it was stopped."""
    time.sleep(PAUSE_AFTER_S)
    begun_ns = time.monotonic_ns()
    os.kill(pid, signal.SIGSTOP)
    time.sleep(PAUSE_MS / 1000)
    os.kill(pid, signal.SIGCONT)
    return time.monotonic_ns() - begun_ns
