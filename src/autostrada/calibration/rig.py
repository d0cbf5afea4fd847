"""The test rig: runs a server and a client for one fault case, and reads reports."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from autostrada.calibration.expectation import CaseEvidence, PushReading
from autostrada.calibration.fault_cases import (
    OBSERVED,
    PAUSE_MS,
    FaultCase,
    FaultTopology,
    Kind,
    PacedPush,
)
from autostrada.calibration.network import separated
from autostrada.calibration.parser import NOTHING_READ, read
from autostrada.calibration.plans import load_plan, push_plan, serve_plan
from autostrada.engine.messages import ServeResult
from autostrada.engine.plans import ADDRESS, observe_plan
from autostrada.engine.process import Document, PlannedProcess, engine_command
from autostrada.errors import EngineError
from autostrada.evidence.rate import push_rate
from autostrada.machine.host import Host
from autostrada.machine.network import SERVER_ADDRESS, entered
from autostrada.machine.noise import Noise, between, take_snapshot
from autostrada.machine.process import Process
from autostrada.stats.steady_rate import Milestone, done_at
from autostrada.store.record import Observation

PAUSE_AFTER_S = 0.4
OBSERVE_EVERY_MS = 20
SERVER = "server"
PUSH_CLIENT = [sys.executable, "-m", "autostrada.calibration.peer.push_client"]
COLD_MESSAGES = 100_000


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerUsage:
    """The resources that the server uses at an instant."""

    resident_bytes: int
    cpu_ns: int
    """CPU time since the server started."""


NOTHING_USED = ServerUsage(resident_bytes=0, cpu_ns=0)


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
    ) -> tuple[CaseEvidence, Noise]:
        """
        Measure a case once, or with ``is_healthy`` its control without the fault.

        Raises:
            EngineError: a process fails. Faults in the exchange are metrics instead.
        """
        if case.push is not None:
            return self._push(case.push)
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
            if case.topology is FaultTopology.PEER_SERVER:
                server.process.send("\n")
                held_ns = server.line("held")["held_ns"]
            used_after = _usage(observer) if observer else used
        evidence = CaseEvidence(
            reading=read(result),
            held_ns=held_ns,
            growth_bytes=used_after.resident_bytes - used.resident_bytes,
            cpu_ns=used_after.cpu_ns - used.cpu_ns,
            paused_ns=paused_ns,
        )
        return evidence, between(before, after)

    def _push(self, push: PacedPush) -> tuple[CaseEvidence, Noise]:
        """
        Push to the client of known speed.

        Raises:
            NoNetworkError: the push needs a network that cannot be created.
        """
        with ExitStack() as stack:
            network = stack.enter_context(separated()) if push.is_bridged else None
            with entered(network.server if network else None):
                server = stack.enter_context(
                    started(
                        server_arguments(FaultTopology.PEER_CLIENT, self._engine),
                        self._host.server_cpus,
                    )
                )
            address = SERVER_ADDRESS if network else ADDRESS
            server.send(push_plan(push, address))
            url = server.line("ready")["url"]
            with entered(network.client if network else None):
                client = stack.enter_context(
                    started(PUSH_CLIENT, self._host.client_cpus)
                )
            before = take_snapshot([server.pid])
            client.send({"url": f"{url}/{push.first_messages}", **asdict(push)})
            received = client.line("result")
            served = ServeResult.model_validate(server.line("result"), strict=False)
            after = take_snapshot([server.pid])
        evidence = CaseEvidence(
            reading=NOTHING_READ, push=_push_reading(served, received)
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


def server_arguments(topology: FaultTopology, engine: Path) -> list[str]:
    """Return the command line of the server: the engine, or the independent peer."""
    if topology is FaultTopology.PEER_SERVER:
        return [sys.executable, "-m", "autostrada.calibration.peer.server"]
    return [str(engine), "serve", "--plan"]


def client_arguments(topology: FaultTopology, engine: Path) -> list[str]:
    """Return the command line of the client: the engine, or the independent peer."""
    if topology is FaultTopology.PEER_CLIENT:
        return [sys.executable, "-m", "autostrada.calibration.peer.client"]
    return [str(engine), "load", "--plan", "-"]


@contextmanager
def started(arguments: list[str], cpus: frozenset[int]) -> Iterator[PlannedProcess]:
    """Run a program on given cores."""
    with Process(engine_command(arguments, cpus)) as process:
        yield PlannedProcess(process)


def _push_reading(served: ServeResult, received: Document) -> PushReading:
    """Compare the metrics of a push with the progress that the client recorded."""
    rate = push_rate(
        served, Observation(), client_ended_ns=received["ended_ns"], is_lasting=True
    )
    metrics = {metric.metric: metric.value for metric in rate.metrics}
    progress = [
        Milestone(at_ns - served.first_sent_ns, messages)
        for at_ns, messages in received["progress"]
    ]
    cold_ns = next(
        milestone.at_ns for milestone in progress if milestone.done >= COLD_MESSAGES
    )
    begin_ns, end_ns = metrics.get("warm_up_s", 0.0) * 1e9, progress[-1].at_ns
    done = progress[-1].done - done_at(progress, begin_ns)
    return PushReading(
        metrics=metrics,
        cold_ms=cold_ns / 1e6,
        steady_ns_per_message=(end_ns - begin_ns) / done,
    )


def _usage(observer: PlannedProcess) -> ServerUsage:
    """Return the server's usage in a sample taken after this call."""
    called_ns = time.monotonic_ns()
    while True:
        sample = observer.line("sample")
        server = sample["processes"].get(SERVER)
        if server is None:
            raise EngineError("the server's CPU time and memory cannot be read")
        if sample["at_ns"] >= called_ns:
            return ServerUsage(
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
