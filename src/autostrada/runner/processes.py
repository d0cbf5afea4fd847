"""The processes of a trial: launched, let start together, read at once, and stopped."""

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass

from autostrada.engine.process import send_document
from autostrada.errors import (
    AutostradaError,
    ContestantError,
    Crashed,
    EngineError,
    LeftBehind,
    Miscounted,
    TimedOut,
)
from autostrada.machine.ports import await_listener
from autostrada.machine.process import (
    TERMINATION_S,
    Command,
    Process,
    end_orphans,
    is_executable,
)
from autostrada.runner.endpoints import RESULT_LIMIT_S
from autostrada.runner.lines import how_it_ended
from autostrada.runner.memory_limit import MemoryLimit
from autostrada.runner.topology import Instance
from autostrada.stats.evidence import EndName
from autostrada.workloads.report import ClientReport, ServerReport

START_BARRIER = ("sh", "-c", 'read -r line; exec "$@"', "start-barrier")
"""Becomes the program behind it when it reads a line."""

LISTEN_LIMIT_S = 30.0
"""Until a server listens: a language may start slowly."""

BLAME_LIMIT_S = 0.5
"""When one has failed, so long others may show that they had failed before it."""

Report = ServerReport | ClientReport


@dataclass(frozen=True, kw_only=True, slots=True)
class TrialProcess:
    """One process of a trial, running."""

    instance: Instance
    process: Process

    @property
    def end(self) -> EndName:
        """Which end of the trial it is of."""
        return self.instance.endpoint.end

    @property
    def is_engine(self) -> bool:
        """Whether it is the engine."""
        return self.instance.endpoint.is_engine

    def start(self, observed: Mapping[str, int]) -> None:
        """Let it begin, now that the processes are observed."""
        launch = self.instance.launch
        if self.end == "server":
            if launch.waits_for_observation:
                send_document(self.process, {"observe": observed})
            return
        for document in launch.documents:
            send_document(self.process, document)
        if not launch.documents:
            self.process.send("\n")

    def read(self, deadline_s: float) -> Report:
        """
        Read its report.

        Raises:
            AutostradaError: it breaks its contract, or it is the engine and fails.
        """
        endpoint, configuration = self.instance.endpoint, self.instance.configuration
        try:
            return endpoint.read(self.process, deadline_s, configuration)
        except ContestantError as error:
            raise self.fault(error) from error

    def await_listener(self) -> None:
        """
        Wait until a server listens.

        Raises:
            AutostradaError: it does not.
        """
        deadline_s = time.monotonic() + LISTEN_LIMIT_S
        try:
            if await_listener(self.process, self.instance.port, deadline_s):
                return
            status = self.process.wait(deadline_s)
        except TimeoutError as error:
            limit = f"did not listen on its port within {LISTEN_LIMIT_S:.0f} s"
            raise self.fault(TimedOut(limit)) from error
        raise self.fault(Crashed(f"{how_it_ended(status)} before it listened"))

    def check(self) -> None:
        """
        Make sure that a server still serves.

        Raises:
            AutostradaError: it has ended.
        """
        status = self.process.status()
        if status is not None:
            self.process.end()
            raise self.fault(Crashed(f"{how_it_ended(status)} while it served"))

    def fault(self, error: ContestantError) -> AutostradaError:
        """
        Return a failure as one of this process.

        The engine's is our own; but what it waits for without success is the other end.
        """
        end = self.end
        if self.is_engine:
            if not isinstance(error, TimedOut):
                stderr = self.process.stderr_tail
                return EngineError(f"engine as {self.instance.name} {error}: {stderr}")
            end = "client" if end == "server" else "server"
        error.process = end
        error.stderr_tail = self.process.stderr_tail
        return error

    def stop(self) -> None:
        """
        End a contestant's server that has served: docs/contract.md, 2.5.

        Raises:
            AutostradaError: it does not end, or leaves something behind.
        """
        self.process.ask_to_end()
        try:
            self.process.wait(time.monotonic() + TERMINATION_S)
        except TimeoutError as error:
            if self.process.status() is not None:
                left = LeftBehind("what it started holds its output open")
                raise self.fault(left) from error
            timed_out = TimedOut(f"did not end within {TERMINATION_S:.0f} s of SIGTERM")
            raise self.fault(timed_out) from error
        if self.process.has_group():
            raise self.fault(LeftBehind("processes of its group outlived it"))


@contextmanager
def serving(instance: Instance) -> Iterator[TrialProcess]:
    """
    Run a process of the server, which listens.

    Raises:
        AutostradaError: it does not start, or does not listen.
    """
    with _launched(instance, instance.launch.words) as server:
        for document in instance.launch.documents:
            send_document(server.process, document)
        server.await_listener()
        yield server


@contextmanager
def held(instance: Instance) -> Iterator[TrialProcess]:
    """
    Run a process of the client, which waits behind the start barrier.

    So it is observed from its beginning, and the server from before it is there. The
    engine needs no barrier: it does nothing before it has read its plan.

    Raises:
        Crashed: it cannot be started.
    """
    words = instance.launch.words
    with _launched(
        instance, words if instance.launch.documents else [*START_BARRIER, *words]
    ) as client:
        yield client


@contextmanager
def _launched(instance: Instance, words: Sequence[str]) -> Iterator[TrialProcess]:
    launch, end = instance.launch, instance.endpoint.end
    if not is_executable(launch.words[0], launch.folder):
        reason = f"{launch.words[0]} is not there or cannot be executed"
        raise Crashed(f"cannot be started: {reason}", process=end)
    command = Command(
        words=words,
        folder=launch.folder,
        environment=launch.environment,
        cpus=instance.cpus,
        line_bytes_max=launch.line_bytes_max,
        is_measured=True,
    )
    try:
        process = Process(command)
    except OSError as error:
        raise Crashed(f"cannot be started: {error}", process=end) from error
    with process:
        yield TrialProcess(instance=instance, process=process)


def read_all(
    processes: Sequence[TrialProcess], deadline_s: float, memory: MemoryLimit
) -> list[Report]:
    """
    Return what each process reports that has something to report, in their order.

    What they print is read as it comes: none waits for us. Those that are still being
    read are killed as soon as one fails.

    Raises:
        AutostradaError: of those that failed, the failure of the one to blame.
    """
    talking = [each for each in processes if each.instance.configuration.has_result]
    with ThreadPoolExecutor(len(talking)) as threads:
        reading = {threads.submit(each.read, deadline_s): each for each in talking}
        try:
            _await_reports(reading)
        except _OneFailedError as failed:
            wait(reading, timeout=BLAME_LIMIT_S)
            faults = [*failed.faults, *faults_of(reading), *_silent_faults(processes)]
            raise memory.failure or to_blame(faults) from failed
        finally:
            # Whoever waits for a line of one of them waits no longer.
            for future, each in reading.items():
                if not future.done():
                    each.process.kill()
    if faults := _silent_faults(processes):
        raise memory.failure or to_blame(faults)
    return [each.result() for each in reading]


Reading = Mapping[Future[Report], TrialProcess]


class _OneFailedError(Exception):
    """A process has failed; ``faults`` has what it does not know itself."""

    def __init__(self, *faults: AutostradaError) -> None:
        super().__init__()
        self.faults = faults


def _await_reports(reading: Reading) -> None:
    """
    Wait for all reports.

    An engine's server whose clients are all gone has seen them go, or never will.

    Raises:
        _OneFailedError: one of them has failed.
    """
    left = set(reading)
    while left:
        are_gone = all(
            reading[each].end == "server" and reading[each].is_engine for each in left
        )
        limit_s = RESULT_LIMIT_S if are_gone else None
        done, left = wait(left, timeout=limit_s, return_when=FIRST_COMPLETED)
        if not done:
            raise _OneFailedError(
                Miscounted("has exited, but the server saw no connection end")
            )
        if any(each.exception() for each in done):
            raise _OneFailedError


def faults_of(reading: Reading) -> list[AutostradaError]:
    """
    Return the failures so far.

    Raises:
        BaseException: one failed otherwise: a defect of ours.
    """
    faults = []
    for each in reading:
        error = each.exception() if each.done() else None
        if isinstance(error, AutostradaError):
            faults.append(error)
        elif error is not None:
            raise error
    return faults


def _silent_faults(processes: Sequence[TrialProcess]) -> list[AutostradaError]:
    """Return the failures of servers that report nothing: they have ended."""
    faults = []
    for each in processes:
        if not each.instance.configuration.has_result:
            try:
                each.check()
            except AutostradaError as error:
                faults.append(error)
    return faults


def to_blame(faults: Sequence[AutostradaError]) -> AutostradaError:
    """
    Return the failure that has brought about the others.

    Where a server has gone, its clients may fail; where anybody has, the others may
    wait without success. Of those that wait it is the contestant, and of two the
    client: a server that waits for its slowest subscriber cannot end before it.
    """
    return min(faults, key=_order)


def _order(fault: AutostradaError) -> int:
    if isinstance(fault, EngineError):
        return 0
    assert isinstance(fault, ContestantError), fault
    is_server = fault.process == "server"
    if isinstance(fault, TimedOut):
        return 4 if is_server else 3
    return 1 if is_server else 2


def expect_nothing_left(
    processes: Sequence[TrialProcess], other: TrialProcess, keep: set[int]
) -> None:
    """
    End processes of an end, and see that nothing of them is left.

    The engine leaves nothing: what is left is of a contestant, be it the other end.

    Raises:
        AutostradaError: something of one of them is.
    """
    for each in processes:
        each.process.end()
    if orphans := end_orphans(keep=keep):
        left = LeftBehind(f"processes that it started outlived it ({orphans})")
        raise (other if processes[0].is_engine else processes[0]).fault(left)
