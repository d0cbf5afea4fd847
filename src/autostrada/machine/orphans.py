"""Descendants of this process whose parents have ended: adopted, and ended."""

import ctypes
import os
import signal
from collections.abc import Set
from contextlib import suppress
from pathlib import Path

from autostrada.errors import EngineError
from autostrada.machine.guardian import GUARDIAN

STARTED_IN = "AUTOSTRADA_SESSION"
"""Environment variable of a process and its descendants: the ID of the process."""

_GENERATIONS_MAX = 100
_PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """
    Make this process the parent of orphaned descendants.

    Raises:
        EngineError: the kernel refuses.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise EngineError(f"cannot adopt orphans: {os.strerror(ctypes.get_errno())}")


def end_orphans(*, keep: Set[int]) -> int:
    """
    Kill adopted orphans; return the number of those that were still alive.

    ``keep`` are the IDs of children that are not orphans. What they have started, and
    is an orphan, is kept as well.

    Raises:
        EngineError: orphans start processes faster than these can be killed.
    """
    ended = 0
    for _ in range(_GENERATIONS_MAX):
        children = children_of(os.getpid()) - keep - GUARDIAN.pids
        orphans = {child for child in children if _session_of(child) not in keep}
        if not orphans:
            return ended
        # The children of a killed orphan become orphans of this process.
        for pid in orphans:
            with suppress(ProcessLookupError, ChildProcessError):
                if os.waitpid(pid, os.WNOHANG) == (0, 0):
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
                    ended += 1
    raise EngineError("processes that a contestant has left behind cannot be ended")


def _session_of(pid: int) -> int | None:
    """Return the ID of the ``Process`` that a process descends from, if it is known."""
    with suppress(OSError, ValueError):
        environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        prefix = f"{STARTED_IN}=".encode()
        for variable in environment:
            if variable.startswith(prefix):
                return int(variable.removeprefix(prefix))
    return None


def children_of(pid: int) -> set[int]:
    """Return the IDs of the children of a process, zombies included."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                stat = (entry / "stat").read_text()
                if int(stat.rpartition(")")[2].split()[1]) == pid:
                    found.add(int(entry.name))
    return found


def end_children() -> None:
    """Kill all children of this process, except the guardian, with their groups."""
    for pid in children_of(os.getpid()) - GUARDIAN.pids:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
