"""
A process of ours: started on given cores, read line by line, and gone in the end.

Each one leads a session and process group of its own, so that it is ended with all it
started and nothing else; what is measured has a cgroup as well, where we may make one.
The kernel ends it when the orchestrator dies (``setpriv``), however that happens; what
it started in its turn then lives on, in a cgroup until the next run begins.
"""

import ctypes
import os
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from autostrada.errors import EngineError, UsageError
from autostrada.machine.cgroup import new_cgroup
from autostrada.machine.memory import descendants_of, resident_bytes

LINE_BYTES_MAX = 512 * 1024
"""A result has up to 10,000 latencies of three digits and their counts."""

STDERR_TAIL_BYTES = 4096
TERMINATION_S = 5.0
_GENERATIONS_MAX = 100
_READ_BYTES = 64 * 1024
_PR_SET_CHILD_SUBREAPER = 36


class LineTooLongError(Exception):
    """A process printed more than a line may have, without ending it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """What is started, where, and on which cores; ``None`` leaves the cores alone."""

    words: Sequence[str]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    cpus: frozenset[int] | None = None
    line_bytes_max: int = LINE_BYTES_MAX
    """What its longest line may have."""

    stderr_bytes_max: int = STDERR_TAIL_BYTES
    """What is kept of the end of its stderr."""

    output: int | None = None
    """A descriptor that gets its stdout; without, its lines are read by us."""

    is_measured: bool = False
    """The kernel is asked to prefer it to what else runs, and to keep it together."""


def prefer(session: int) -> None:
    """
    Ask the kernel to prefer a session's processes to those of others (sched(7)).

    Among themselves, and with other preferred ones, they remain equals. Only root may
    ask, and not every kernel groups by sessions: without, they are as all others.
    """
    with suppress(OSError):
        Path(f"/proc/{session}/autogroup").write_text("-20", encoding="ascii")


@contextmanager
def on_cpus(cpus: frozenset[int] | None) -> Iterator[None]:
    """
    Run on given cores; a process that is started here inherits them.

    Where these are the cores that we run on already, the kernel is not asked: it may
    refuse whatever it is asked for.

    Raises:
        OSError: we may not choose cores, or not these.
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


class Process:
    """A running process; leave its ``with`` block and it is gone."""

    def __init__(self, command: Command) -> None:
        """
        Start it.

        Raises:
            OSError: its program cannot be executed.
        """
        program = command.words[0]
        if not is_executable(program, command.folder):
            raise FileNotFoundError(f"{program} is not there or cannot be executed")
        self._cgroup = new_cgroup() if command.is_measured else None
        try:
            with (
                on_cpus(command.cpus),
                self._cgroup.joined() if self._cgroup else nullcontext(),
            ):
                self._popen = _start(command)
        except BaseException:
            self._end_cgroup()
            raise
        if command.is_measured:
            prefer(self.pid)
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
        """Its process, also its process group."""
        return self._popen.pid

    @property
    def stderr_tail(self) -> str:
        """The last of what it has written to stderr."""
        return self._stderr.decode(errors="replace").strip()

    def send(self, text: str) -> None:
        """Write to its stdin; a process that no longer reads is found out elsewhere."""
        assert self._popen.stdin is not None
        with suppress(BrokenPipeError):
            self._popen.stdin.write(text.encode())
            self._popen.stdin.flush()

    def close_input(self) -> None:
        """End its stdin, which asks whoever reads it to end."""
        assert self._popen.stdin is not None
        with suppress(BrokenPipeError):
            self._popen.stdin.close()

    def read_line(self, deadline_s: float) -> str | None:
        """
        Return its next line, or ``None`` at the end of its output.

        Raises:
            TimeoutError: ``deadline_s`` (of ``time.monotonic``) has come.
            LineTooLongError: it does not end its line; what there is of it is dropped.
        """
        while True:
            line, newline, rest = self._lines.partition(b"\n")
            if newline:
                self._lines = rest
                return line.decode(errors="replace")
            if len(line) > self._line_bytes_max:
                self._lines.clear()
                raise LineTooLongError
            if self._stdout not in self._open_pipes():
                self._lines.clear()
                return line.decode(errors="replace") or None
            self._pump(deadline_s)

    def wait(self, deadline_s: float) -> int:
        """
        Wait for its end; return its status, negative for a signal.

        Raises:
            TimeoutError: ``deadline_s`` has come.
        """
        while self._stderr_pipe in self._open_pipes():
            self._pump(deadline_s)
        try:
            return self._popen.wait(timeout=max(0.0, deadline_s - time.monotonic()))
        except subprocess.TimeoutExpired as error:
            raise TimeoutError from error

    def status(self) -> int | None:
        """Return its status if it has ended, negative for a signal."""
        return self._popen.poll()

    def has_group(self) -> bool:
        """Whether anything is alive that belongs to its group, itself included."""
        if self._popen.poll() is None:
            return True
        # A dead one that was left to us is a member until somebody waits for it.
        with suppress(ChildProcessError):
            while os.waitpid(-self.pid, os.WNOHANG) != (0, 0):
                pass
        try:
            os.killpg(self.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def resident_bytes(self) -> int:
        """Return what is resident of it and of all that it has started."""
        members = self._cgroup.members() if self._cgroup else descendants_of(self.pid)
        return resident_bytes(members)

    def ask_to_end(self) -> None:
        """Ask its whole group to end, and do not wait for it."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kill its whole group; may be called while another thread reads its lines."""
        self._signal(signal.SIGKILL)

    def end(self) -> None:
        """End its whole group: ask first, then make it so; keep its last words."""
        if self._has_ended:
            return
        if self._popen.poll() is None:
            self._signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                self._popen.wait(timeout=TERMINATION_S)
        self._signal(signal.SIGKILL)
        self._popen.wait()
        self._has_ended = True
        if self._stderr_pipe in self._open_pipes():
            # One read takes all that a pipe holds. A process that escaped from the
            # group may go on writing: there is no waiting for the end.
            with suppress(BlockingIOError):
                self._take_stderr(os.read(self._stderr_pipe.fileno(), _READ_BYTES))

    def __enter__(self) -> "Process":
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it, whatever happened."""
        try:
            self.end()
        except BaseException:
            self._signal(signal.SIGKILL)
            raise
        finally:
            self._end_cgroup()
            self._selector.close()
            for pipe in (self._popen.stdout, self._stderr_pipe, self._popen.stdin):
                if pipe is not None:
                    with suppress(BrokenPipeError):
                        pipe.close()

    @property
    def _stdout(self) -> IO[bytes]:
        assert self._popen.stdout is not None
        return self._popen.stdout

    @property
    def _stderr_pipe(self) -> IO[bytes]:
        assert self._popen.stderr is not None
        return self._popen.stderr

    def _end_cgroup(self) -> None:
        cgroup, self._cgroup = self._cgroup, None
        if cgroup:
            cgroup.end()

    def _open_pipes(self) -> set[object]:
        return {key.fileobj for key in self._selector.get_map().values()}

    def _pump(self, deadline_s: float) -> None:
        """Take in what it has written, or wait for it."""
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
    return subprocess.Popen(
        [find_setpriv(), "--pdeathsig", "KILL", "--", *command.words],
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
    Run a command; return its status and the last of what it printed anywhere.

    Of a line that is too long, only its end is kept. A log gets all of them, and what
    is kept of stderr, also when the command is not over in time.

    Raises:
        OSError: its program cannot be executed.
        TimeoutError: it took longer than ``limit_s``.
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


def adopt_orphans() -> None:
    """Make this process the parent of whatever its descendants leave behind."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise EngineError(f"cannot adopt orphans: {os.strerror(ctypes.get_errno())}")


def end_orphans(*, keep: Set[int]) -> int:
    """
    End the processes that were left to us; return how many were still alive.

    ``keep`` are our own children, which are not orphans.

    Raises:
        EngineError: they start others faster than these can be ended.
    """
    ended = 0
    for _ in range(_GENERATIONS_MAX):
        orphans = children_of(os.getpid()) - keep
        if not orphans:
            return ended
        # What an orphan had started is left to us in its turn.
        for pid in orphans:
            with suppress(ProcessLookupError, ChildProcessError):
                if os.waitpid(pid, os.WNOHANG) == (0, 0):
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
                    ended += 1
    raise EngineError("processes that a contestant has left behind cannot be ended")


def children_of(pid: int) -> set[int]:
    """Return the children of a process, dead ones that were not waited for included."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                stat = (entry / "stat").read_text()
                if int(stat.rpartition(")")[2].split()[1]) == pid:
                    found.add(int(entry.name))
    return found


def is_executable(program: str, folder: Path) -> bool:
    if "/" in program:
        return os.access(folder / program, os.X_OK)
    return shutil.which(program) is not None


def end_children() -> None:
    """Kill all processes that this one has started, with what they started."""
    for pid in children_of(os.getpid()):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)


def find_setpriv() -> str:
    """
    Return the program that has the kernel end our processes when we die.

    Raises:
        UsageError: it is missing.
    """
    found = shutil.which("setpriv")
    if found is None:
        raise UsageError("setpriv is missing: apt install util-linux")
    return found
