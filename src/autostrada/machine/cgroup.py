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
        self.folder = parent / f"{_PREFIX}{os.getpid()}-{next(_NUMBERS)}"
        self.folder.mkdir()
        # Who finds it unlocked knows that its maker is dead, in whatever namespace.
        self._lock = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    @contextmanager
    def joined(self) -> Iterator[None]:
        """Be in it for a while; a process that is started here stays."""
        _move_into(self.folder)
        try:
            yield
        finally:
            _move_into(self._parent)

    def end(self) -> None:
        """
        Kill all that is in it, and remove it.

        Raises:
            EngineError: something in it cannot be killed.
        """
        try:
            _clear(self.folder)
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


@cache
def _is_usable(parent: Path) -> bool:
    """Try it once; what a killed orchestrator has left there is removed as well."""
    try:
        for folder in parent.glob(f"{_PREFIX}*"):
            _sweep(folder)
        cgroup = Cgroup(parent)
        try:
            if not (cgroup.folder / "cgroup.kill").exists():
                return False
            with cgroup.joined():
                pass
        finally:
            cgroup.end()
    except OSError:
        return False
    return True


def _sweep(folder: Path) -> None:
    """Remove a cgroup whose maker is dead, with all that it has left there."""
    with suppress(FileNotFoundError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            with suppress(BlockingIOError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _clear(folder)
        finally:
            os.close(descriptor)


def _clear(folder: Path) -> None:
    (folder / "cgroup.kill").write_text("1", encoding="ascii")
    with (folder / "cgroup.events").open(encoding="ascii") as events:
        poll = select.poll()
        poll.register(events, select.POLLPRI)
        while "populated 1" in events.read():
            if not poll.poll(END_LIMIT_MS):
                raise EngineError(f"what is in {folder} cannot be ended")
            events.seek(0)
    folder.rmdir()


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
