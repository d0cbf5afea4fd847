"""
A cgroup (version 2) for a process, so that its descendants are ended with it.

A process can leave its process group, but without permission it cannot leave its cgroup
(cgroups(7)). ``cgroup.kill`` (Linux 5.14) ends all members, however fast they start
other processes. If no cgroup can be created, descendants are found by process group and
as orphans.
"""

import fcntl
import os
import re
import select
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import count
from pathlib import Path

from autostrada.errors import EngineError

END_LIMIT_MS = 5_000
_PREFIX = "autostrada-"
_NUMBERS = count()
_MOUNT = re.compile(r"^(?:\S+ ){3}(\S+) (\S+) .*- cgroup2 ", re.MULTILINE)
_PLACE = re.compile(r"^0::(/.*)$", re.MULTILINE)


class Cgroup:
    """A cgroup that this process has created; call ``end`` to kill its members."""

    def __init__(self, parent: Path) -> None:
        """
        Create the cgroup below ``parent``, the cgroup of this process.

        Raises:
            OSError: it cannot be created, for example for lack of permission.
        """
        self._parent = parent
        self.folder, self._lock = _make(parent)

    @contextmanager
    def joined(self) -> Iterator[None]:
        """Move this process into the cgroup; processes started here remain in it."""
        _move_into(self.folder)
        try:
            yield
        finally:
            _move_into(self._parent)

    def members(self) -> list[int]:
        """Return the IDs of the processes in the cgroup."""
        text = (self.folder / "cgroup.procs").read_text(encoding="ascii")
        return [int(line) for line in text.split()]

    def end(self) -> None:
        """
        Kill all members, and remove the cgroup.

        Raises:
            EngineError: a member cannot be killed.
        """
        try:
            _kill_all(self.folder)
        finally:
            self.remove()

    def remove(self) -> None:
        """Remove the cgroup, which must be empty."""
        try:
            self.folder.rmdir()
        finally:
            os.close(self._lock)


def new_cgroup() -> Cgroup | None:
    """Create a cgroup; return ``None`` if cgroups are not usable."""
    parent = _own_folder()
    return Cgroup(parent) if parent is not None and _is_usable(parent) else None


def has_cgroups() -> bool:
    """Whether cgroups can be created for processes that are started."""
    parent = _own_folder()
    return parent is not None and _is_usable(parent)


def _make(parent: Path) -> tuple[Path, int]:
    """
    Create a cgroup; return its folder and the descriptor that keeps it locked.

    An unlocked cgroup belongs to an orchestrator that has ended, in any PID namespace.
    Another orchestrator may remove the folder before it is locked; hence the loop.
    """
    while True:
        folder = parent / f"{_PREFIX}{os.getpid()}-{next(_NUMBERS)}"
        folder.mkdir()
        with suppress(FileNotFoundError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if folder.exists():
                return folder, lock
            os.close(lock)


@cache
def _is_usable(parent: Path) -> bool:
    """
    Whether cgroups can be created, joined and killed below ``parent``.

    Also removes cgroups that a killed orchestrator has left there.
    """
    try:
        for folder in parent.glob(f"{_PREFIX}*"):
            _sweep(folder)
        cgroup = Cgroup(parent)
        try:
            has_kill = (cgroup.folder / "cgroup.kill").exists()
            with cgroup.joined():
                pass
        finally:
            cgroup.remove()
    except OSError:
        return False
    return has_kill


def _sweep(folder: Path) -> None:
    """Remove a cgroup and kill its members, if its orchestrator has ended."""
    with suppress(FileNotFoundError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            with suppress(BlockingIOError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _kill_all(folder)
                folder.rmdir()
        finally:
            os.close(descriptor)


def _kill_all(folder: Path) -> None:
    (folder / "cgroup.kill").write_text("1", encoding="ascii")
    with (folder / "cgroup.events").open(encoding="ascii") as events:
        poll = select.poll()
        poll.register(events, select.POLLPRI)
        while "populated 1" in events.read():
            if not poll.poll(END_LIMIT_MS):
                raise EngineError(f"the processes in {folder} cannot be ended")
            events.seek(0)


def _move_into(folder: Path) -> None:
    (folder / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")


def _own_folder() -> Path | None:
    """Return the folder of this process's cgroup, or ``None`` if it is not visible."""
    try:
        mount = _MOUNT.search(Path("/proc/self/mountinfo").read_text(encoding="utf-8"))
        place = _PLACE.search(Path("/proc/self/cgroup").read_text(encoding="utf-8"))
    except OSError:
        return None
    if mount is None or place is None or ".." in place[1]:
        return None
    # A container may see only its own part of the tree.
    inside = Path(place[1])
    if inside.is_relative_to(mount[1]):
        inside = inside.relative_to(mount[1])
    return Path(mount[2]) / str(inside).lstrip("/")
