"""Launches the processes of a trial, starts them together, and reads their reports."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from autostrada.machine.executable import is_executable
from autostrada.machine.orphans import end_orphans
from autostrada.machine.ports import await_listener
from autostrada.machine.process import (
    TERMINATION_S,
    Command,
    Process,
    RunningProgram,
    prefer_others,
)
from autostrada.runner.endpoints import RESULT_LIMIT_S
from autostrada.runner.isolation import NOT_ISOLATED, Isolation
from autostrada.runner.lines import describe_exit
from autostrada.runner.memory_limit import MemoryLimit
from autostrada.runner.topology import Instance
from autostrada.stats.evidence import EndName
from autostrada.workloads.report import ClientReport, ServerReport

START_BARRIER = ("sh", "-c", 'read -r line; exec "$@"', "start-barrier")
"""A shell that reads one line and then replaces itself by the program."""

LISTEN_LIMIT_S = 30.0
"""Time in which a server must listen; some language runtimes start slowly."""

CAUSE_LIMIT_S = 0.5
"""Time after a failure in which failures of other processes are collected, because one
of them may be the cause."""

Report = ServerReport | ClientReport


@dataclass(frozen=True, kw_only=True, slots=True)
class TrialProcess:
    """A running process of a trial."""

    instance: Instance
    process: RunningProgram

    @property
    def local(self) -> Process | None:
        """The process, if it is on this machine."""
        return self.process if isinstance(self.process, Process) else None

    @property
    def end(self) -> EndName:
        """The end of the trial that the process belongs to."""
        return self.instance.endpoint.end

    @property
    def is_engine(self) -> bool:
        """Whether the process is the engine."""
        return self.instance.endpoint.is_engine

    def start(self, observed: Mapping[str, int]) -> None:
        """Start its work, after the processes ``observed`` have been sampled once."""
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
        Read the report of the process.

        Raises:
            ContestantError: a contestant breaks its contract.
            EngineError: the process is the engine and fails.
        """
        endpoint, configuration = self.instance.endpoint, self.instance.configuration
        try:
            return endpoint.read(self.process, deadline_s, configuration)
        except ContestantError as error:
            raise self.fault(error) from error

    def await_listener(self) -> None:
        """
        Wait until the server listens.

        Raises:
            AutostradaError: it exits first, or does not listen in ``LISTEN_LIMIT_S``.
        """
        deadline_s = time.monotonic() + LISTEN_LIMIT_S
        assert self.local, "servers are on this machine"
        try:
            if await_listener(self.local, self.instance.port, deadline_s):
                return
            status = self.process.wait(deadline_s)
        except TimeoutError as error:
            limit = f"did not listen on its port within {LISTEN_LIMIT_S:.0f} s"
            raise self.fault(TimedOut(limit)) from error
        raise self.fault(Crashed(f"{describe_exit(status)} before it listened"))

    def check(self) -> None:
        """
        Check that the server is still running.

        Raises:
            AutostradaError: it has ended.
        """
        status = self.process.status()
        if status is not None:
            self.process.end()
            raise self.fault(Crashed(f"{describe_exit(status)} while it served"))

    def fault(self, error: ContestantError) -> AutostradaError:
        """
        Return an error with this process as its cause.

        A failure of the engine becomes an ``EngineError``; but if the engine timed out,
        the cause is the other end.
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
        Stop a contestant's server after its last connection: docs/contract.md, 2.4.

        Raises:
            AutostradaError: it does not end, or leaves processes behind.
        """
        self.process.terminate()
        try:
            self.process.wait(time.monotonic() + TERMINATION_S)
        except TimeoutError as error:
            if self.process.status() is not None:
                left = LeftBehind("a process that it started keeps its output open")
                raise self.fault(left) from error
            timed_out = TimedOut(f"did not end within {TERMINATION_S:.0f} s of SIGTERM")
            raise self.fault(timed_out) from error
        if self.process.has_group():
            raise self.fault(LeftBehind("processes of its group outlived it"))


def local_of(processes: Iterable[TrialProcess]) -> dict[str, Process]:
    """Return the processes that are on this machine, by name."""
    return {
        process.instance.name: process.local for process in processes if process.local
    }


@contextmanager
def serving(
    instance: Instance, isolation: Isolation = NOT_ISOLATED
) -> Iterator[TrialProcess]:
    """
    Run a process of the server; enter the context when it listens.

    Raises:
        AutostradaError: it does not start, or does not listen.
    """
    with _launched(instance, instance.launch.arguments, isolation) as server:
        for document in instance.launch.documents:
            send_document(server.process, document)
        server.await_listener()
        yield server


@contextmanager
def waiting(
    instance: Instance, isolation: Isolation = NOT_ISOLATED
) -> Iterator[TrialProcess]:
    """
    Run a process of the client, which waits behind the start barrier.

    The barrier ensures that the client is observed from its start, and the server from
    an earlier time. The engine needs no barrier because it waits for its plan.

    Raises:
        Crashed: it cannot be started.
    """
    arguments = instance.launch.arguments
    with _launched(
        instance,
        arguments if instance.launch.documents else [*START_BARRIER, *arguments],
        isolation,
    ) as client:
        yield client


@contextmanager
def _launched(
    instance: Instance, arguments: Sequence[str], isolation: Isolation
) -> Iterator[TrialProcess]:
    launch, end = instance.launch, instance.endpoint.end
    if instance.elsewhere:
        with instance.elsewhere as remote:
            yield TrialProcess(instance=instance, process=remote)
        return
    if not is_executable(launch.arguments[0], launch.folder):
        reason = f"{launch.arguments[0]} does not exist or is not executable"
        raise Crashed(f"cannot be started: {reason}", process=end)
    command = Command(
        arguments=arguments,
        folder=launch.folder,
        environment=launch.environment,
        cpus=instance.cpus,
        line_bytes_max=launch.line_bytes_max,
        is_measured=True,
        limits=isolation.limits_of(end),
        namespace=isolation.namespace_of(end),
    )
    try:
        process = Process(command)
    except OSError as error:
        raise Crashed(f"cannot be started: {error}", process=end) from error
    with process:
        if instance.is_beside:
            prefer_others(process.pid)
        yield TrialProcess(instance=instance, process=process)


def read_all(
    processes: Sequence[TrialProcess], deadline_s: float, memory: MemoryLimit
) -> list[Report]:
    """
    Return the reports of all processes that print a result, in the same order.

    Each process is read by its own thread, so that none of them blocks on a full pipe.
    As soon as one fails, the others are killed.

    Raises:
        AutostradaError: a process failed; if several did, the error of the likely cause
            (``likely_cause``), or the memory limit that ended them.
    """
    reporting = [process for process in processes if process.instance.has_result]
    reading: dict[Future[Report], TrialProcess] = {}
    with ThreadPoolExecutor(len(reporting)) as threads:
        try:
            # Ctrl-C may come between these.
            for process in reporting:
                reading[threads.submit(process.read, deadline_s)] = process
            _await_reports(reading)
        except _ProcessFailedError as failed:
            wait(reading, timeout=CAUSE_LIMIT_S)
            faults = [*failed.faults, *faults_of(reading), *_silent_faults(processes)]
            raise memory.failure or likely_cause(faults) from failed
        finally:
            # Unblocks the threads that still wait for a line.
            ended = [each for future, each in reading.items() if future.done()]
            for process in reporting:
                if process not in ended:
                    process.process.kill()
    if faults := _silent_faults(processes):
        raise memory.failure or likely_cause(faults)
    return [future.result() for future in reading]


Reading = Mapping[Future[Report], TrialProcess]


class _ProcessFailedError(Exception):
    """A process failed; ``faults`` are errors that no reader thread has raised."""

    def __init__(self, *faults: AutostradaError) -> None:
        super().__init__()
        self.faults = faults


def _await_reports(reading: Reading) -> None:
    """
    Wait for all reports.

    If only servers of the engine are left, all clients have exited, and the servers
    must report within ``RESULT_LIMIT_S``.

    Raises:
        _OneFailedError: a process failed.
    """
    left = set(reading)
    while left:
        are_gone = all(
            reading[future].end == "server" and reading[future].is_engine
            for future in left
        )
        limit_s = RESULT_LIMIT_S if are_gone else None
        done, left = wait(left, timeout=limit_s, return_when=FIRST_COMPLETED)
        if not done:
            raise _ProcessFailedError(
                Miscounted("has exited, but the server saw no connection end")
            )
        if any(future.exception() for future in done):
            raise _ProcessFailedError


def faults_of(reading: Reading) -> list[AutostradaError]:
    """
    Return the failures that reader threads have raised so far.

    Raises:
        BaseException: a thread raised an unexpected exception, which is a defect of
            this program.
    """
    faults = []
    for future in reading:
        error = future.exception() if future.done() else None
        if isinstance(error, AutostradaError):
            faults.append(error)
        elif error is not None:
            raise error
    return faults


def _silent_faults(processes: Sequence[TrialProcess]) -> list[AutostradaError]:
    """Return the failures of servers that print no result and have ended."""
    faults = []
    for process in processes:
        if not process.instance.has_result:
            try:
                process.check()
            except AutostradaError as error:
                faults.append(error)
    return faults


def likely_cause(faults: Sequence[AutostradaError]) -> AutostradaError:
    """
    Return the failure that is the likely cause of the others.

    If a server ends, its clients may fail as well; if any process ends, the others may
    time out. Therefore errors of the engine come first, then failures of servers, of
    clients, and timeouts. Of two timeouts it is the client's: a server that waits for
    its slowest subscriber cannot end before it.
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
    End the processes of one end, and check that no descendant of them is left.

    Orphans are attributed to ``processes``, or to ``other`` if these are the engine,
    which starts no processes. Processes with an ID in ``keep`` are ignored.

    Raises:
        AutostradaError: a descendant outlived its process.
    """
    for process in processes:
        process.process.end()
    ended = {process.local.pid for process in processes if process.local}
    if orphans := end_orphans(keep=keep - ended):
        left = LeftBehind(f"processes that it started outlived it ({orphans})")
        raise (other if processes[0].is_engine else processes[0]).fault(left)
