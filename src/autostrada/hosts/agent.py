"""
Runs the engine on a host, for another machine.

Ray pickles this module by value, so that a host needs Python and Ray and nothing else:
it imports only the standard library.
"""

import contextlib
import json
import os
import platform
import subprocess
import threading
import time
from typing import Any

UNHEARD_S = 15.0
"""Time without a call after which the engine is ended: nobody is left to stop it."""

LOG_LINES = 5
"""Number of the last lines of the engine's log that are kept."""


class Agent:
    """
    Runs one engine at a time, with its files in memory.

    Whatever ends this process closes the engine's stdin, which ends the engine.
    """

    def __init__(self, engine: bytes) -> None:
        self._engine = _file_in_memory(engine)
        self._process: subprocess.Popen[str] | None = None
        self._lines: list[str] = []
        self._log: list[str] = []
        self._readers: list[threading.Thread] = []
        self._heard_s = time.monotonic()
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

    def start(self, plan: str, files: dict[str, bytes]) -> None:
        """Start an engine with a plan, in which names stand for the files."""
        self._heard_s = time.monotonic()
        inherited = {name: _file_in_memory(text) for name, text in files.items()}
        self._process = process = subprocess.Popen(
            [_path(self._engine), "load", "--plan", "-"],
            pass_fds=[self._engine, *inherited.values()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for descriptor in inherited.values():
            os.close(descriptor)
        # Lists of its own, so that nothing of an earlier engine is added to them.
        self._lines, self._log = [], []
        outputs = [(self._lines, process.stdout), (self._log, process.stderr)]
        self._readers = [
            threading.Thread(target=list.extend, args=output) for output in outputs
        ]
        for reader in self._readers:
            reader.start()
        for name, descriptor in inherited.items():
            plan = plan.replace(name, _path(descriptor))
        self._send(plan)

    def begin(self, at_ns: int) -> None:
        """Begin the workload at an instant of the host's monotonic clock."""
        self._send(json.dumps({"start-at-ns": at_ns}))

    def poll(self) -> dict[str, Any]:
        """
        Return what the engine printed since the last call.

        ``status`` is its exit status once it has ended and nothing follows.
        """
        self._heard_s = time.monotonic()
        has_ended = not any(reader.is_alive() for reader in self._readers)
        count = len(self._lines)
        lines = self._lines[:count]
        del self._lines[:count]
        status = self._process.wait() if self._process and has_ended else None
        return {"lines": lines, "log": self._log[-LOG_LINES:], "status": status}

    def stop(self) -> None:
        """End the load; the engine then prints what it has measured."""
        if self._process and self._process.stdin:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    def _send(self, document: str) -> None:
        if self._process and self._process.stdin:
            # The status of an engine that has ended says why.
            with contextlib.suppress(OSError):
                self._process.stdin.write(f"{document}\n")
                self._process.stdin.flush()

    def _watch(self) -> None:
        while not threading.Event().wait(1.0):
            if self._process and time.monotonic() - self._heard_s > UNHEARD_S:
                self._process.kill()


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
