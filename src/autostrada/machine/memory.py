"""Reads the memory and CPU time of processes, and the machine's available memory."""

import os
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_AVAILABLE = re.compile(r"^MemAvailable: +(\d+) kB$", re.MULTILINE)


def cpu_ns(pids: Iterable[int]) -> int:
    """
    Return the CPU time that processes have used, in nanoseconds; ended ones count as 0.

    It is exact for a process that sleeps. The kernel adds the time of a running thread
    at each tick of its timer (1 to 10 ms). The clock's ID encodes the process ID with 2
    for the time of the scheduler: ``clock_getcpuclockid(3)``.
    """
    total_ns = 0
    for pid in pids:
        with suppress(OSError):
            total_ns += time.clock_gettime_ns(~pid << 3 | 2)
    return total_ns


def resident_bytes(pids: Iterable[int]) -> int:
    """Return the resident memory of processes in bytes; ended ones count as 0."""
    pages = 0
    for pid in pids:
        with suppress(OSError):
            pages += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def available_bytes() -> int:
    """Return the memory in bytes that is available without swapping."""
    match = _AVAILABLE.search(Path("/proc/meminfo").read_text(encoding="ascii"))
    assert match, "Linux reports MemAvailable since 3.14"
    return int(match[1]) * 1024


def descendants_of(pid: int) -> set[int]:
    """Return the IDs of a process and its living descendants."""
    found = {pid}
    with suppress(OSError):
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            with suppress(OSError):
                for child in children.read_text().split():
                    found |= descendants_of(int(child))
    return found
