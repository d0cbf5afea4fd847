"""
The limit of memory of a trial's processes: the machine outlives all of them.

What is resident is read from the kernel again and again: a limit of the kernel's own
(``memory.max``) needs a cgroup's memory controller, which is rarely ours to switch on.
"""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Literal

from autostrada.errors import OutOfMemory
from autostrada.machine.memory import available_bytes
from autostrada.machine.process import Process

SAMPLE_EVERY_S = 0.05
AVAILABLE_BYTES_MIN = 512 * 1024**2
"""The largest is killed when the machine has no more than that left."""


class MemoryLimit:
    """What was found so far."""

    def __init__(self, processes: Mapping[str, Process], bytes_max: int) -> None:
        self._processes = processes
        self._bytes_max = bytes_max
        self._start_s = time.monotonic()
        self._is_over = threading.Event()
        self.failure: OutOfMemory | None = None
        """Why all were killed, where they were."""

    def sample_until_over(self) -> None:
        """Sample until it is over, or all are killed because one is too large."""
        while self.failure is None and not self._is_over.wait(SAMPLE_EVERY_S):
            self._sample()

    def end(self) -> None:
        """End the sampling."""
        self._is_over.set()

    def _sample(self) -> None:
        sizes = {
            name: process.resident_bytes() for name, process in self._processes.items()
        }
        name, size = max(sizes.items(), key=lambda each: each[1])
        after = f"{gibibytes(size)} after {time.monotonic() - self._start_s:.0f} s"
        if size > self._bytes_max:
            allowed = f"more than {gibibytes(self._bytes_max)} are not allowed"
        elif available_bytes() < AVAILABLE_BYTES_MIN:
            allowed = f"the machine had {gibibytes(AVAILABLE_BYTES_MIN)} left"
        else:
            return
        self.failure = OutOfMemory(
            f"killed at {after}: {allowed}", process=end_of_name(name)
        )
        for process in self._processes.values():
            process.kill()


@contextmanager
def memory_limited(
    processes: Mapping[str, Process], bytes_max: int
) -> Iterator[MemoryLimit]:
    """
    Kill all processes when one has too much memory.

    Whoever waits for them sees them end, and asks for the ``failure``.
    """
    limit = MemoryLimit(processes, bytes_max)
    thread = threading.Thread(target=limit.sample_until_over)
    thread.start()
    try:
        yield limit
    finally:
        limit.end()
        thread.join()


def end_of_name(name: str) -> Literal["client", "server"]:
    """Return which end a process is: ``client 2`` is one of the clients."""
    return "server" if name.startswith("server") else "client"


def gibibytes(size: int) -> str:
    """Write a size."""
    return f"{size / 1024**3:.1f} GiB"
