"""
Runs the engine, or a client of a contestant, on a host for another machine.

Ray pickles this module by value, so that a host needs Python and Ray and nothing else:
it imports only the standard library.
"""

import contextlib
import ctypes
import io
import json
import os
import platform
import shutil
import signal
import subprocess
import tarfile
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

UNHEARD_S = 15.0
"""Time without a call after which the program is ended: nobody is left to stop it."""

LOG_LINES = 5
"""Number of the last lines of the program's log that are kept."""

_OF_RAY = ("RAY_", "PYTHONPATH", "OMP_NUM_THREADS")
"""Beginnings of the variables that Ray sets for its own processes."""

_PR_SET_PDEATHSIG = 1


class Agent:
    """
    Runs one program at a time, with the engine and files in memory.

    Whatever ends this process ends the program.
    """

    def __init__(self, engine: bytes) -> None:
        self._engine = _file_in_memory(engine)
        self._process: subprocess.Popen[str] | None = None
        self._status: int | None = None
        self._lock = threading.Lock()
        self._lines: list[str] = []
        self._log: list[str] = []
        self._readers: list[threading.Thread] = []
        self._heard_s = time.monotonic()
        self._libc = ctypes.CDLL(None)
        threading.Thread(target=self._watch, daemon=True).start()

    def probe(self) -> dict[str, str]:
        """Return the host's name and architecture, and the engine's version."""
        try:
            answer = subprocess.run(
                [_path(self._engine), "--version"],
                pass_fds=[self._engine],
                capture_output=True,
                text=True,
                check=False,
            )
            version, error = answer.stdout, answer.stderr
        except OSError as cause:
            version, error = "", str(cause.strerror)
        return {
            "name": platform.node(),
            "architecture": platform.machine(),
            "version": version.strip(),
            "error": error.strip(),
        }

    def clocks(self) -> tuple[int, int]:
        """Return the host's monotonic and real-time clock, in nanoseconds."""
        self._heard_s = time.monotonic()
        return time.monotonic_ns(), time.time_ns()

    def unpacked(self, name: str, archive: bytes = b"") -> str:
        """
        Return the folder of a build, which is unpacked unless it is there.

        The folder stays for later runs. Without an archive the result is empty if it is
        not there.
        """
        builds = f"{tempfile.gettempdir()}/autostrada-builds-{os.getuid()}"
        os.makedirs(builds, mode=0o700, exist_ok=True)
        if os.stat(builds).st_uid != os.getuid():
            raise PermissionError(f"{builds} belongs to another user: remove it")
        folder = f"{builds}/{name}"
        if not os.path.isdir(folder) and not archive:
            return ""
        if not os.path.isdir(folder):
            # Another agent of this host may unpack the same build.
            part = tempfile.mkdtemp(dir=builds)
            try:
                with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
                    # Links of a virtual environment lead out of it.
                    packed.extraction_filter = lambda member, _: member
                    packed.extractall(part)
                os.rename(part, folder)
            except OSError:
                if not os.path.isdir(folder):
                    raise
            finally:
                shutil.rmtree(part, ignore_errors=True)
        return folder

    def start(self, plan: str, files: dict[str, bytes]) -> None:
        """Start an engine with a plan, in which names stand for the files."""
        with _in_memory(files) as paths:
            arguments = [_path(self._engine), "load", "--plan", "-"]
            self._run(arguments, [self._engine, *paths])
        self._send(_replaced(plan, {name: _path(fd) for fd, name in paths.items()}))

    def start_client(
        self,
        arguments: list[str],
        folder: str,
        environment: dict[str, str],
        files: dict[str, bytes],
    ) -> str:
        """
        Start a client of a contestant, in whose environment names stand for the files.

        Return why it cannot be started, or nothing.
        """
        own = {
            key: os.environ[key] for key in os.environ if not key.startswith(_OF_RAY)
        }
        with _in_memory(files) as paths:
            names = {name: _path(fd) for fd, name in paths.items()}
            set_by_trial = {
                key: _replaced(value, names) for key, value in environment.items()
            }
            try:
                self._run(arguments, [*paths], cwd=folder, env=own | set_by_trial)
            except OSError as cause:
                return str(cause)
        return ""

    def _run(
        self, arguments: list[str], descriptors: list[int], **options: Any
    ) -> None:
        """Start a program that inherits descriptors, and read what it prints."""
        self._heard_s = time.monotonic()
        self._status = None
        self._process = process = subprocess.Popen(
            arguments,
            pass_fds=descriptors,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
            # It makes two system calls before the program and nothing else.
            preexec_fn=self._prepare,  # noqa: PLW1509
            **options,
        )
        # Lists of its own, so that nothing of an earlier engine is added to them.
        self._lines, self._log = [], []
        outputs = [(self._lines, process.stdout), (self._log, process.stderr)]
        self._readers = [
            threading.Thread(target=list.extend, args=output) for output in outputs
        ]
        for reader in self._readers:
            reader.start()

    def begin(self, at_ns: int) -> None:
        """Begin the workload at an instant of the host's monotonic clock."""
        self._send(json.dumps({"start-at-ns": at_ns}))

    def poll(self) -> dict[str, Any]:
        """
        Return what the program printed since the last call.

        ``status`` is its exit status once it has ended and nothing follows. Processes
        of its group that outlive it are killed.
        """
        self._heard_s = time.monotonic()
        is_silent = not any(reader.is_alive() for reader in self._readers)
        count = len(self._lines)
        lines = self._lines[:count]
        del self._lines[:count]
        if self._process and is_silent and _has_ended(self._process.pid):
            self.kill()
            with self._lock, self._process as ended:
                self._status = ended.wait()
                self._process = None
        return {"lines": lines, "log": self._log[-LOG_LINES:], "status": self._status}

    def stop(self) -> None:
        """End the load; the engine then prints what it has measured."""
        if self._process and self._process.stdin:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    def kill(self) -> None:
        """Kill the program and all processes of its group."""
        # Until it is waited for, no other process has its ID.
        with self._lock, contextlib.suppress(ProcessLookupError):
            if self._process:
                os.killpg(self._process.pid, signal.SIGKILL)

    def _prepare(self) -> None:
        """Let the kernel kill this process with the agent, and restore its priority."""
        self._libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        # Ray lowers the priority of its processes.
        with contextlib.suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, 0, 0)

    def _send(self, document: str) -> None:
        if self._process and self._process.stdin:
            # The status of an engine that has ended says why.
            with contextlib.suppress(OSError):
                self._process.stdin.write(f"{document}\n")
                self._process.stdin.flush()

    def _watch(self) -> None:
        while not threading.Event().wait(1.0):
            if time.monotonic() - self._heard_s > UNHEARD_S:
                self.kill()


def _has_ended(pid: int) -> bool:
    """Whether a child has ended, without waiting for it."""
    return bool(os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT))


def _replaced(text: str, paths: Mapping[str, str]) -> str:
    for name, path in paths.items():
        text = text.replace(name, path)
    return text


@contextlib.contextmanager
def _in_memory(files: Mapping[str, bytes]) -> Iterator[dict[int, str]]:
    """Give the block descriptors of files in memory, each with its name."""
    descriptors = {_file_in_memory(text): name for name, text in files.items()}
    try:
        yield descriptors
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _path(descriptor: int) -> str:
    return f"/proc/self/fd/{descriptor}"


def _file_in_memory(content: bytes) -> int:
    """Return the descriptor of an executable file that ends with this process."""
    written = os.memfd_create("autostrada")
    with os.fdopen(written, "wb") as file:
        file.write(content)
        file.flush()
        os.fchmod(written, 0o700)
        # A file that is open for writing cannot be executed.
        return os.open(_path(written), os.O_RDONLY)
