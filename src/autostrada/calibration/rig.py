"""The rig: starts a server and a client for one case, and reads what they say."""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from autostrada.calibration.fault_cases import PAUSE_MS, FaultCase, Kind, Topology
from autostrada.calibration.judgement import Evidence
from autostrada.calibration.parser import read
from autostrada.calibration.plans import load_plan, serve_plan
from autostrada.engine.plans import observe_plan
from autostrada.errors import EngineError
from autostrada.machine.host import Host
from autostrada.machine.noise import Noise, between, take_snapshot
from autostrada.machine.process import Command, LineTooLongError, Process

LINE_BYTES_MAX = 4 * 1024 * 1024
"""Buckets of thousands of different durations make long lines."""

LIMIT_S = 30.0
PAUSE_AFTER_S = 0.4
OBSERVE_EVERY_MS = 20
OBSERVED = "server"

Document = Mapping[str, Any]


class Partner:
    """A process that takes a plan and answers in JSON lines."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def send(self, text: str) -> None:
        """Write to its stdin."""
        self._process.send(text)

    def line(self, event: str) -> Document:
        """
        Return its next line of a kind; others are left out.

        Raises:
            EngineError: it ends before, or takes too long.
        """
        deadline_s = time.monotonic() + LIMIT_S
        while True:
            try:
                text = self._process.read_line(deadline_s)
                if text is None:
                    self._process.wait(deadline_s)
                    raise EngineError(f"ended: {self._process.stderr_tail}")
                document = json.loads(text)
            except (TimeoutError, LineTooLongError, ValueError) as error:
                raise EngineError(f"no {event} line: {error!r}") from error
            if isinstance(document, dict) and document.get("event") == event:
                return document

    def wait(self) -> None:
        """Wait for its end: what it has used is known then."""
        self._process.wait(time.monotonic() + LIMIT_S)


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
            send_plan(server, serve_plan(case, is_healthy=is_healthy))
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
                server.send("\n")
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
            send_plan(client, load_plan(case, url))
            client.line("ready")
            paused_ns = _pause(client.pid) if case.kind is Kind.PAUSE else 0
            result = client.line("result")
            client.wait()
            return result, paused_ns

    @contextmanager
    def _observing(self, pid: int) -> Iterator[Partner]:
        words = [str(self._engine), "observe"]
        with started(words, self._host.client_cpus) as observer:
            plan = observe_plan(
                processes={OBSERVED: pid},
                every_ms=OBSERVE_EVERY_MS,
                sockets=False,
                host=False,
            )
            send_plan(observer, plan)
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
def started(words: list[str], cpus: frozenset[int]) -> Iterator[Partner]:
    """Run a program on given cores."""
    command = Command(
        words=words,
        folder=Path(),
        cpus=cpus,
        line_bytes_max=LINE_BYTES_MAX,
        is_measured=True,
    )
    with Process(command) as process:
        yield Partner(process)


def send_plan(partner: Partner, plan: Document) -> None:
    """Give a process what it is to do."""
    partner.send(json.dumps(plan) + "\n")


def _resident_bytes(observer: Partner) -> int:
    """Return the resident memory as it is from this instant on."""
    asked_ns = time.monotonic_ns()
    while True:
        look = observer.line("sample")
        server = look["processes"].get(OBSERVED)
        if server is None:
            raise EngineError("the server's memory cannot be read")
        if look["at_ns"] >= asked_ns:
            return int(server["resident_bytes"])


def _pause(pid: int) -> int:
    """Stop a process of ours for a while; return for how long it was stopped."""
    time.sleep(PAUSE_AFTER_S)
    begun_ns = time.monotonic_ns()
    os.kill(pid, signal.SIGSTOP)
    time.sleep(PAUSE_MS / 1000)
    os.kill(pid, signal.SIGCONT)
    return time.monotonic_ns() - begun_ns
