"""
A child process: started on given cores, read line by line, and reliably ended.

Each child leads its own session and process group, so that it is ended together with
its descendants and nothing else; a measured process also has a cgroup, if one can be
created. When the orchestrator is killed, the kernel kills the child (``setpriv``), and
the guardian the rest of the cgroup, or of the process group, of a measured process.
"""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Protocol

from autostrada.machine.cgroup import new_cgroup
from autostrada.machine.executable import find_program, is_executable
from autostrada.machine.guardian import GUARDIAN
from autostrada.machine.limited_cgroup import LimitedCgroup
from autostrada.machine.memory import cpu_ns, descendants_of, resident_bytes
from autostrada.machine.network import in_namespace
from autostrada.machine.orphans import STARTED_IN

LINE_BYTES_MAX = 512 * 1024
"""Longest line of a contestant: a result has up to 10,000 latencies and counts."""

STDERR_TAIL_BYTES = 4096
TERMINATION_S = 5.0
_READ_BYTES = 64 * 1024


class LineTooLongError(Exception):
    """A process printed a line that is longer than allowed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """A program to start, with its folder, environment and cores."""

    arguments: Sequence[str]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    cpus: frozenset[int] | None = None
    """Cores to run on; ``None`` for those of the parent."""

    line_bytes_max: int = LINE_BYTES_MAX
    """Length of the longest line that the process may print, in bytes."""

    stderr_bytes_max: int = STDERR_TAIL_BYTES
    """Number of bytes that are kept from the end of stderr."""

    output: int | None = None
    """File descriptor for stdout; ``None`` for a pipe that ``read_line`` reads."""

    is_measured: bool = False
    """Whether the process gets a higher scheduling priority and its own cgroup."""

    limits: LimitedCgroup | None = None
    """Limits that it shares with other processes; ``None`` for no limits."""

    namespace: int | None = None
    """Descriptor of its network namespace; ``None`` for that of the parent."""


def raise_priority(session: int) -> None:
    """
    Raise the scheduling priority of a session's processes, if possible (sched(7)).

    All preferred processes have the same priority. The call has no effect without root,
    or if the kernel does not schedule by session (autogroup).
    """
    with suppress(OSError):
        Path(f"/proc/{session}/autogroup").write_text("-20", encoding="ascii")


def prefer_others(process: int) -> None:
    """
    Let a process run when others on its core pause or end their time slice (sched(7)).

    It then does not interrupt them whenever it has something to do, so that it runs
    less often and does more each time. Threads that it starts later inherit this.
    """
    with suppress(OSError):
        os.sched_setscheduler(process, os.SCHED_BATCH, os.sched_param(0))


@contextmanager
def on_cpus(cpus: frozenset[int] | None) -> Iterator[None]:
    """
    Run on given cores in the block; processes started in it inherit them.

    If the cores do not change, no system call is made, because a sandbox may refuse any
    such call.

    Raises:
        OSError: the kernel refuses these cores.
    """
    before = os.sched_getaffinity(0)
    if cpus is None or cpus == before:
        yield
        return
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


class RunningProgram(Protocol):
    """A running program of a trial, on this machine or another; see ``Process``."""

    @property
    def stderr_tail(self) -> str: ...

    def send(self, text: str) -> None: ...

    def read_line(self, deadline_s: float) -> str | None: ...

    def wait(self, deadline_s: float) -> int: ...

    def status(self) -> int | None: ...

    def has_group(self) -> bool: ...

    def terminate(self) -> None: ...

    def kill(self) -> None: ...

    def end(self) -> None: ...


class Process:
    """A running child process, which is ended on leaving its ``with`` block."""

    def __init__(self, command: Command) -> None:
        """
        Start the process.

        Raises:
            OSError: the program cannot be executed.
        """
        program = command.arguments[0]
        if not is_executable(program, command.folder):
            raise FileNotFoundError(f"{program} does not exist or is not executable")
        limits = command.limits
        within = limits.unified if limits else None
        self._cgroup = new_cgroup(within) if command.is_measured else None
        self._is_stopped = False
        try:
            if self._cgroup:
                GUARDIAN.add(str(self._cgroup.folder))
            with ExitStack() as stack:
                stack.enter_context(on_cpus(command.cpus))
                stack.enter_context(in_namespace(command.namespace))
                for cgroup in (limits, self._cgroup):
                    if cgroup:
                        stack.enter_context(cgroup.joined())
                self._popen = _start(command)
            assert self._popen.stdin, "it is a pipe"
            assert self._popen.stderr, "it is a pipe"
            self._stdin, self._stderr_pipe = self._popen.stdin, self._popen.stderr
        except BaseException:
            self._end_cgroup()
            raise
        if command.is_measured:
            raise_priority(self.pid)
            if not self._cgroup:
                GUARDIAN.add(str(self.pid))
        self._lines = bytearray()
        self._line_bytes_max = command.line_bytes_max
        self._stderr = bytearray()
        self._stderr_bytes_max = command.stderr_bytes_max
        self._has_ended = False
        self._selector = selectors.DefaultSelector()
        for pipe in (self._popen.stdout, self._stderr_pipe):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
                self._selector.register(pipe, selectors.EVENT_READ)

    @property
    def pid(self) -> int:
        """ID of the process, and of its session and process group."""
        return self._popen.pid

    @property
    def stderr_tail(self) -> str:
        """End of the text that the process has written to stderr."""
        return self._stderr.decode(errors="replace").strip()

    def send(self, text: str) -> None:
        """Write to stdin; ignore a closed pipe, which is detected elsewhere."""
        with suppress(BrokenPipeError):
            self._stdin.write(text.encode())
            self._stdin.flush()

    def close_input(self) -> None:
        """Close stdin."""
        with suppress(BrokenPipeError):
            self._stdin.close()

    def read_line(self, deadline_s: float) -> str | None:
        """
        Return the next line of stdout, or ``None`` at its end.

        Raises:
            TimeoutError: ``deadline_s`` (of ``time.monotonic``) is reached.
            LineTooLongError: the line is too long; the part read so far is dropped.
        """
        while True:
            line, newline, rest = self._lines.partition(b"\n")
            if newline:
                self._lines = rest
                return line.decode(errors="replace")
            if len(line) > self._line_bytes_max:
                self._lines.clear()
                raise LineTooLongError
            if self._popen.stdout not in self._open_pipes():
                self._lines.clear()
                return line.decode(errors="replace") or None
            self._pump(deadline_s)

    def wait(self, deadline_s: float) -> int:
        """
        Wait for the exit; return the status, or the negative number of a signal.

        Also waits for the end of stderr, which a descendant may keep open.

        Raises:
            TimeoutError: ``deadline_s`` (of ``time.monotonic``) is reached.
        """
        while self._stderr_pipe in self._open_pipes():
            self._pump(deadline_s)
        try:
            return self._popen.wait(timeout=max(0.0, deadline_s - time.monotonic()))
        except subprocess.TimeoutExpired as error:
            raise TimeoutError from error

    def status(self) -> int | None:
        """Return the exit status, negative for a signal; ``None`` while it runs."""
        return self._popen.poll()

    def has_group(self) -> bool:
        """Whether any process of the process group is alive, this one included."""
        if self._popen.poll() is None:
            return True
        # An adopted zombie remains a member of the group until it is waited for.
        with suppress(ChildProcessError):
            while os.waitpid(-self.pid, os.WNOHANG) != (0, 0):
                pass
        try:
            os.killpg(self.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def resident_bytes(self) -> int:
        """Return the resident memory of the process and its descendants, in bytes."""
        members = self._cgroup.members() if self._cgroup else descendants_of(self.pid)
        return resident_bytes(members)

    def cpu_ns(self) -> int:
        """
        Return the CPU time of the process and its descendants, in nanoseconds.

        Of a cgroup it is its ``usage_usec``, ended descendants and up to 1 ms of the
        start included; else only living processes count. It is exact if the processes
        sleep or are stopped; of each running thread up to a tick (10 ms) is missing.
        """
        if self._cgroup:
            return self._cgroup.cpu_ns()
        return cpu_ns(descendants_of(self.pid))

    def stop(self) -> None:
        """
        Stop the process and its descendants until ``resume``.

        Without a cgroup, SIGSTOP is sent to the process group, without waiting.

        Raises:
            EngineError: a process in the cgroup does not stop in time.
        """
        self._is_stopped = True
        if self._cgroup:
            self._cgroup.stop()
        else:
            self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Continue the processes that ``stop`` has stopped; see there."""
        if self._is_stopped and self._cgroup:
            self._cgroup.resume()
        elif self._is_stopped:
            self._signal(signal.SIGCONT)
        self._is_stopped = False

    def terminate(self) -> None:
        """Send SIGTERM to the process group, and resume it, without waiting."""
        self._signal(signal.SIGTERM)
        self.resume()

    def kill(self) -> None:
        """Send SIGKILL to the process group; safe while another thread reads lines."""
        self._signal(signal.SIGKILL)

    def end(self) -> None:
        """
        End the process group, and read the rest of stderr.

        Sends SIGTERM if the process is running, and SIGKILL when it has ended or after
        ``TERMINATION_S``. Further calls have no effect.
        """
        if self._has_ended:
            return
        if self._popen.poll() is None:
            self.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._popen.wait(timeout=TERMINATION_S)
        self._signal(signal.SIGKILL)
        GUARDIAN.remove(str(self.pid))
        self._popen.wait()
        self._has_ended = True
        if self._stderr_pipe in self._open_pipes():
            # One read returns all that a pipe holds. The end of file cannot be awaited,
            # because a process that left the group may keep the pipe open.
            with suppress(BlockingIOError):
                self._take_stderr(os.read(self._stderr_pipe.fileno(), _READ_BYTES))

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        """End the process and its cgroup, and close the pipes."""
        try:
            self.end()
        except BaseException:
            self._signal(signal.SIGKILL)
            raise
        finally:
            self._end_cgroup()
            self._selector.close()
            for pipe in (self._popen.stdout, self._stderr_pipe, self._stdin):
                if pipe is not None:
                    with suppress(BrokenPipeError):
                        pipe.close()

    def _end_cgroup(self) -> None:
        cgroup, self._cgroup = self._cgroup, None
        if cgroup:
            cgroup.end()
            GUARDIAN.remove(str(cgroup.folder))

    def _open_pipes(self) -> set[object]:
        return {key.fileobj for key in self._selector.get_map().values()}

    def _pump(self, deadline_s: float) -> None:
        """Wait for output and store it; raise ``TimeoutError`` at the deadline."""
        left_s = deadline_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError
        for key, _ in self._selector.select(left_s):
            chunk = os.read(key.fd, _READ_BYTES)
            if not chunk:
                self._selector.unregister(key.fileobj)
            elif key.fileobj is self._popen.stdout:
                self._lines += chunk
            else:
                self._take_stderr(chunk)

    def _take_stderr(self, chunk: bytes) -> None:
        self._stderr += chunk
        del self._stderr[: -self._stderr_bytes_max]

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.pid, number)


def _start(command: Command) -> subprocess.Popen[bytes]:
    # An orchestrator that dies before the child asks for the signal is no longer its
    # parent afterwards.
    script = f'test $PPID = "$1" && shift && {STARTED_IN}=$$ exec "$@"'
    guarded = ["sh", "-c", script, "sh", str(os.getpid()), *command.arguments]
    return subprocess.Popen(
        [find_program("setpriv"), "--pdeathsig", "KILL", "--", *guarded],
        cwd=command.folder,
        env=os.environ | command.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE if command.output is None else command.output,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def run_to_end(
    command: Command, *, limit_s: float, log: IO[str] | None = None
) -> tuple[int, str]:
    """
    Run a command; return its exit status and the end of its output.

    The output is the last lines of stdout followed by the end of stderr. ``log``
    receives all lines of stdout and the end of stderr, also after a timeout. Only the
    end of a line that is too long is kept.

    Raises:
        OSError: the program cannot be executed.
        TimeoutError: the command takes longer than ``limit_s``.
    """
    deadline_s = time.monotonic() + limit_s
    with Process(command) as process:
        lines: list[str] = []
        try:
            while True:
                try:
                    line = process.read_line(deadline_s)
                except LineTooLongError:
                    continue
                if line is None:
                    break
                lines = [*lines[-20:], line]
                if log:
                    log.write(line + "\n")
            status = process.wait(deadline_s)
        finally:
            if log:
                log.write(process.stderr_tail + "\n")
        return status, "\n".join([*lines, process.stderr_tail]).strip()
