"""How much memory processes have, and how much this machine has left."""

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_AVAILABLE = re.compile(r"^MemAvailable: +(\d+) kB$", re.MULTILINE)


def resident_bytes(pids: Iterable[int]) -> int:
    """Return what is resident of processes; those that are gone have nothing."""
    pages = 0
    for pid in pids:
        with suppress(OSError):
            pages += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def available_bytes() -> int:
    """Return what this machine can give without swapping."""
    match = _AVAILABLE.search(Path("/proc/meminfo").read_text(encoding="ascii"))
    assert match, "Linux tells it since 3.14"
    return int(match[1]) * 1024


def descendants_of(pid: int) -> set[int]:
    """Return a process and all that it has started, as far as they live."""
    found = {pid}
    with suppress(OSError):
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            with suppress(OSError):
                for child in children.read_text().split():
                    found |= descendants_of(int(child))
    return found
