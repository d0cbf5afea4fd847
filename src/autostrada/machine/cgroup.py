"""
A cgroup (version 2) for a process of ours: whatever it starts is ended with it.

A process can leave its process group, but not, without permission, its cgroup
(cgroups(7)). ``cgroup.kill`` (Linux 5.14) ends all that is in one, however fast it
starts others. Where no cgroup can be made, process groups and orphans have to do.
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
    """A cgroup of our own; leave its ``with`` block and nothing is left in it."""

    def __init__(self, parent: Path) -> None:
        """
        Make it below ``parent``, which is our own.

        Raises:
            OSError: we may not.
        """
        self._parent = parent
        self.folder, self._lock = _make(parent)

    @contextmanager
    def joined(self) -> Iterator[None]:
        """Be in it for a while; a process that is started here stays."""
        _move_into(self.folder)
        try:
            yield
        finally:
            _move_into(self._parent)

    def members(self) -> list[int]:
        """Return the processes that are in it."""
        text = (self.folder / "cgroup.procs").read_text(encoding="ascii")
        return [int(line) for line in text.split()]

    def end(self) -> None:
        """
        Kill all that is in it, and remove it.

        Raises:
            EngineError: something in it cannot be killed.
        """
        try:
            _kill_all(self.folder)
        finally:
            self.remove()

    def remove(self) -> None:
        """Remove it; there must be nothing in it."""
        try:
            self.folder.rmdir()
        finally:
            os.close(self._lock)


def new_cgroup() -> Cgroup | None:
    """Return a cgroup of our own, or ``None`` where none can be made."""
    parent = _own_folder()
    return Cgroup(parent) if parent is not None and _is_usable(parent) else None


def has_cgroups() -> bool:
    """Whether what we start can have cgroups of its own."""
    parent = _own_folder()
    return parent is not None and _is_usable(parent)


def _make(parent: Path) -> tuple[Path, int]:
    """
    Make a cgroup; return it with the descriptor that keeps it locked.

    Who finds one unlocked knows that its maker is dead, in whatever namespace. Before
    it is locked another orchestrator may take it for such a one, and remove it.
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
    """Try it once; what a killed orchestrator has left there is removed as well."""
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
    """Remove a cgroup whose maker is dead, with all that it has left there."""
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
                raise EngineError(f"what is in {folder} cannot be ended")
            events.seek(0)


def _move_into(folder: Path) -> None:
    (folder / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")


def _own_folder() -> Path | None:
    """Return the folder of the cgroup that we are in, where there is one to be seen."""
    try:
        mount = _MOUNT.search(Path("/proc/self/mountinfo").read_text(encoding="utf-8"))
        place = _PLACE.search(Path("/proc/self/cgroup").read_text(encoding="utf-8"))
    except OSError:
        return None
    if mount is None or place is None or ".." in place[1]:
        return None
    # A container may be shown its own part of the tree only.
    inside = Path(place[1])
    if inside.is_relative_to(mount[1]):
        inside = inside.relative_to(mount[1])
    return Path(mount[2]) / str(inside).lstrip("/")
