"""
Limits the memory of a trial's processes, so that no trial can exhaust the machine.

The resident memory is polled. The kernel's own limit (``memory.max``) needs the memory
controller of a cgroup, which an unprivileged user can rarely enable. It is used where
the server's host has less memory than this machine; then the kernel ends processes, and
what has happened is polled.
"""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Literal, Self

from autostrada.errors import AutostradaError, OutOfMemory
from autostrada.machine.limited_cgroup import LimitedCgroup
from autostrada.machine.memory import available_bytes
from autostrada.machine.process import Process

SAMPLE_EVERY_S = 0.05
AVAILABLE_BYTES_MIN = 512 * 1024**2
"""All processes are killed if the machine has less available memory than this."""


class MemoryLimit:
    """
    Kills all processes if one of them exceeds a limit, by a thread in its block.

    They are also killed if the machine runs out of memory, or the server's host with
    its ``limits``. After a process has ended, the caller must check ``failure`` for the
    cause.
    """

    def __init__(
        self,
        processes: Mapping[str, Process],
        bytes_max: int,
        limits: LimitedCgroup | None = None,
    ) -> None:
        self._processes = processes
        self._bytes_max = bytes_max
        self._limits = limits
        self._start_s = time.monotonic()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._sample_until_over)
        self.failure: OutOfMemory | None = None
        """The reason why the processes were killed; ``None`` if they were not."""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _sample_until_over(self) -> None:
        """Sample until the end of the block, or until the processes are killed."""
        while self.failure is None and not self._is_over.wait(SAMPLE_EVERY_S):
            self._sample()

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
        elif self._limits and self._limits.has_exceeded_memory():
            self._end_all(_out_of_memory(self._limits))
            return
        else:
            return
        self._end_all(
            OutOfMemory(f"killed at {after}: {allowed}", process=end_of_name(name))
        )

    def _end_all(self, failure: OutOfMemory) -> None:
        self.failure = failure
        for process in self._processes.values():
            process.kill()


@contextmanager
def report_out_of_memory(limits: LimitedCgroup | None) -> Iterator[None]:
    """
    Replace an error of the block, if the server's host had no memory left.

    Raises:
        OutOfMemory: the kernel has killed a process of the server, whatever followed.
    """
    try:
        yield
    except OutOfMemory:
        raise
    except AutostradaError as error:
        if limits and limits.has_exceeded_memory():
            raise _out_of_memory(limits) from error
        raise
    if limits and limits.has_exceeded_memory():
        raise _out_of_memory(limits)


def _out_of_memory(limits: LimitedCgroup) -> OutOfMemory:
    size = gibibytes(limits.memory_bytes_max or 0)
    return OutOfMemory(
        f"killed: the server's host has {size} of memory", process="server"
    )


def end_of_name(name: str) -> Literal["client", "server"]:
    """Return the end that a process belongs to: ``client 2`` is one of the clients."""
    return "server" if name.startswith("server") else "client"


def gibibytes(size: int) -> str:
    """Format a size in bytes as GiB with one decimal."""
    return f"{size / 1024**3:.1f} GiB"
