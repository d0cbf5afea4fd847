"""
A watchman over the memory of a trial's processes: the machine outlives all of them.

It looks by itself, at what the kernel says is resident: a limit of the kernel's own
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

LOOK_EVERY_S = 0.05
AVAILABLE_BYTES_MIN = 512 * 1024**2
"""Whoever is largest is ended when the machine has no more than that left."""


class Guard:
    """What was found so far."""

    def __init__(self, processes: Mapping[str, Process], bytes_max: int) -> None:
        self._processes = processes
        self._bytes_max = bytes_max
        self._start_s = time.monotonic()
        self._is_over = threading.Event()
        self.failure: OutOfMemory | None = None
        """Why all were ended, where they were."""

    def watch(self) -> None:
        """Look until it is over, or all are ended because one is too large."""
        while self.failure is None and not self._is_over.wait(LOOK_EVERY_S):
            self._look()

    def end(self) -> None:
        """Have it look no longer."""
        self._is_over.set()

    def _look(self) -> None:
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
def guarding(processes: Mapping[str, Process], bytes_max: int) -> Iterator[Guard]:
    """
    Watch over processes; all are killed when one has too much memory.

    Whoever waits for them sees them end, and asks the guard for the ``failure``.
    """
    guard = Guard(processes, bytes_max)
    thread = threading.Thread(target=guard.watch)
    thread.start()
    try:
        yield guard
    finally:
        guard.end()
        thread.join()


def end_of_name(name: str) -> Literal["client", "server"]:
    """Return which end a process is: ``client 2`` is one of the clients."""
    return "server" if name.startswith("server") else "client"


def gibibytes(size: int) -> str:
    """Write a size."""
    return f"{size / 1024**3:.1f} GiB"
