"""
A cgroup (version 2) for a process, so that its descendants are ended with it.

A process can leave its process group, but without permission it cannot leave its cgroup
(cgroups(7)). ``cgroup.kill`` (Linux 5.14) ends all members, however fast they start
other processes, and ``cgroup.freeze`` stops them. If no cgroup can be created,
descendants are found by process group and as orphans.
"""

import fcntl
import os
import re
import select
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import count
from pathlib import Path

from autostrada.errors import EngineError

END_LIMIT_MS = 5_000
STOP_LIMIT_MS = 1_000
_PREFIX = "autostrada-"
_NUMBERS = count()
_POLL_EVERY_S = 0.005
_MOUNT = re.compile(
    r"^(?:\S+ ){3}(?P<root>\S+) (?P<point>\S+) .*"
    r"- (?P<kind>cgroup2?) \S+ (?P<options>\S+)$",
    re.MULTILINE,
)
_PLACE = re.compile(r"^\d+:(?P<controllers>[^:\n]*):(?P<path>/.*)$", re.MULTILINE)


class Cgroup:
    """A cgroup that this process has created; call ``end`` to kill its members."""

    def __init__(self, parent: Path, home: Path | None = None) -> None:
        """
        Create the cgroup below ``parent``.

        ``home`` is the cgroup of this process; ``None`` if that is ``parent``.

        Raises:
            OSError: it cannot be created, for example for lack of permission.
        """
        self._home = home or parent
        self.folder, self._lock = _make(parent)

    @contextmanager
    def joined(self) -> Iterator[None]:
        """Move this process into the cgroup; processes started here remain in it."""
        _move_into(self.folder)
        try:
            yield
        finally:
            _move_into(self._home)

    def members(self) -> list[int]:
        """Return the IDs of the processes in the cgroup."""
        text = (self.folder / "cgroup.procs").read_text(encoding="ascii")
        return [int(line) for line in text.split()]

    def cpu_ns(self) -> int:
        """
        Return the CPU time that has been used in the cgroup, in nanoseconds.

        It is exact to a microsecond if all members sleep or are stopped.
        """
        text = (self.folder / "cpu.stat").read_text(encoding="ascii")
        return int(text.partition("usage_usec ")[2].split()[0]) * 1_000

    def stop(self) -> None:
        """
        Stop all members until ``resume``, those that are still to be started included.

        Raises:
            EngineError: a member does not stop within ``STOP_LIMIT_MS``.
        """
        self._freeze("1")
        _await(self.folder, "frozen 0", STOP_LIMIT_MS, "stopped")

    def resume(self) -> None:
        """
        Continue all members.

        Raises:
            EngineError: a member does not continue within ``STOP_LIMIT_MS``.
        """
        self._freeze("0")
        _await(self.folder, "frozen 1", STOP_LIMIT_MS, "continued")

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

    def _freeze(self, value: str) -> None:
        (self.folder / "cgroup.freeze").write_text(value, encoding="ascii")


def new_cgroup(within: Path | None = None) -> Cgroup | None:
    """
    Create a cgroup; return ``None`` if cgroups are not usable.

    It is created below ``within``, a cgroup of version 2, or else below that of this
    process.
    """
    home = own_folder()
    return Cgroup(within or home, home) if home and _is_usable(home) else None


def has_cgroups() -> bool:
    """Whether cgroups can be created for processes that are started."""
    parent = own_folder()
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
        sweep(parent)
        cgroup = Cgroup(parent)
        try:
            files = (cgroup.folder / f"cgroup.{verb}" for verb in ("freeze", "kill"))
            has_files = all(file.exists() for file in files)
            with cgroup.joined():
                pass
        finally:
            cgroup.remove()
    except OSError:
        return False
    return has_files


def sweep(parent: Path) -> None:
    """
    Remove cgroups below ``parent`` whose orchestrator has ended, with their members.

    Raises:
        OSError: one cannot be removed, for example for lack of permission.
    """
    for folder in parent.glob(f"{_PREFIX}*"):
        _sweep_one(folder)


def _sweep_one(folder: Path) -> None:
    with suppress(FileNotFoundError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            with suppress(BlockingIOError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _kill_all(folder)
                for within in folder.glob(f"{_PREFIX}*"):
                    within.rmdir()
                folder.rmdir()
        finally:
            os.close(descriptor)


def _kill_all(folder: Path) -> None:
    if not (folder / "cgroup.kill").exists():
        _kill_each(folder)
        return
    (folder / "cgroup.kill").write_text("1", encoding="ascii")
    _await(folder, "populated 1", END_LIMIT_MS, "ended")


def _await(folder: Path, state: str, limit_ms: int, verb: str) -> None:
    """Wait until a cgroup leaves a state; raise ``EngineError`` after the limit."""
    with (folder / "cgroup.events").open(encoding="ascii") as events:
        poll = select.poll()
        poll.register(events, select.POLLPRI)
        while state in events.read():
            if not poll.poll(limit_ms):
                raise EngineError(f"the processes in {folder} cannot be {verb}")
            events.seek(0)


def _kill_each(folder: Path) -> None:
    """Kill all members one by one, which is the only way with version 1 of cgroups."""
    deadline_s = time.monotonic() + END_LIMIT_MS / 1000
    while pids := (folder / "cgroup.procs").read_text(encoding="ascii").split():
        for pid in map(int, pids):
            if pid != os.getpid():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        if time.monotonic() > deadline_s:
            raise EngineError(f"the processes in {folder} cannot be ended")
        time.sleep(_POLL_EVERY_S)  # This version has no event for an empty cgroup.


def _move_into(folder: Path) -> None:
    (folder / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")


def own_folder(controller: str = "") -> Path | None:
    """
    Return the folder of this process's cgroup, or ``None`` if it is not visible.

    It is the cgroup of version 2, or with ``controller`` that of the hierarchy of
    version 1 which the controller belongs to.
    """
    try:
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8")
        places = Path("/proc/self/cgroup").read_text(encoding="utf-8")
    except OSError:
        return None
    return folder_in(mounts, places, controller)


def folder_in(mounts: str, places: str, controller: str = "") -> Path | None:
    """Return ``own_folder`` from the texts of ``mountinfo`` and ``cgroup``."""
    kind = "cgroup" if controller else "cgroup2"
    mount = next(
        (
            found
            for found in _MOUNT.finditer(mounts)
            if found["kind"] == kind
            and (not controller or controller in found["options"].split(","))
        ),
        None,
    )
    place = next(
        (
            found["path"]
            for found in _PLACE.finditer(places)
            if controller in found["controllers"].split(",")
        ),
        "..",
    )
    if mount is None or ".." in place:
        return None
    # A container may see only its own part of the tree.
    inside = Path(place)
    if inside.is_relative_to(mount["root"]):
        inside = inside.relative_to(mount["root"])
    return Path(mount["point"]) / str(inside).lstrip("/")
