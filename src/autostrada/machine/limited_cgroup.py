"""
Limits the CPU time and the memory of a group of processes, by cgroups.

The controllers ``cpu`` and ``memory`` belong to version 2 of cgroups, or each to a
hierarchy of version 1. Version 2 counts kernel memory and socket buffers towards
``memory.max``. Version 1 counts kernel memory towards ``memory.limit_in_bytes`` but the
buffers of TCP apart, so that ``has_exceeded_memory`` adds both.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from autostrada.errors import UsageError
from autostrada.machine.cgroup import Cgroup, own_folder, sweep

PERIOD_US = 10_000
"""Period of the CPU limit in microseconds. A process that has used its part pauses for
the rest of the period, so a short one resembles a slower core."""

QUOTA_US_MIN = 1_000
"""Smallest part of a period that the kernel accepts, in microseconds."""

PREFERRED_NICE = -20
PREFERRED_SHARES = 88_761
"""The weight of a group with limits: that of the kernel's table for nice -20. The
scheduling priority of a session (``process.raise_priority``) has no effect there."""

CONTROLLERS = ("cpu", "memory")
REMEDY = (
    "run autostrada as root on the machine itself; in a container, start it with "
    "docker run --privileged --cgroupns=host; without root, and with version 2 of "
    "cgroups, start autostrada with systemd-run --user --scope"
)
_FILE_CACHE = ("total_active_file", "total_inactive_file")
_COUNTER = re.compile(r"^(\w+) (\d+)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """The limits of a group of processes; ``None`` for no limit."""

    cpu_share_max: float | None = None
    """CPU time of all processes per second, as a share of one core."""

    memory_bytes_max: int | None = None
    """Memory of all processes together, kernel memory included, in bytes."""

    @property
    def text(self) -> str:
        """The limits in words; empty if there are none."""
        parts = []
        if self.cpu_share_max is not None:
            parts.append(f"{self.cpu_share_max:.0%} of one core")
        if self.memory_bytes_max is not None:
            parts.append(f"{self.memory_bytes_max} bytes of memory")
        return " and ".join(parts)

    @property
    def period_us(self) -> int:
        """Period of the CPU limit in microseconds, so long that its part is allowed."""
        share = self.cpu_share_max or 1
        return max(PERIOD_US, ceil(QUOTA_US_MIN / share))

    def cpu_time(self, version: int) -> tuple[str, str, str]:
        """Return the limit of CPU time as controller, file and value."""
        quota_us = round((self.cpu_share_max or 0) * self.period_us)
        if version == 2:
            return "cpu", "cpu.max", f"{quota_us} {self.period_us}"
        return "cpu", "cpu.cfs_quota_us", str(quota_us)

    def settings(self, version: int) -> list[tuple[str, str, str]]:
        """
        Return all but the limit of CPU time as ``cpu_time`` does, in writing order.

        ``version`` is that of the cgroups; a controller without limits is not listed.
        """
        size = str(self.memory_bytes_max)
        if version == 2:
            cpu = [("cpu.weight.nice", str(PREFERRED_NICE))]
            memory = [("memory.max", size), ("memory.swap.max", "0")]
        else:
            cpu = [
                ("cpu.cfs_period_us", str(self.period_us)),
                ("cpu.shares", str(PREFERRED_SHARES)),
            ]
            memory = [
                ("memory.limit_in_bytes", size),
                ("memory.memsw.limit_in_bytes", size),
                ("memory.kmem.tcp.limit_in_bytes", size),
            ]
        limited = []
        if self.cpu_share_max is not None:
            limited += [("cpu", *limit) for limit in cpu]
        if self.memory_bytes_max is not None:
            limited += [("memory", *limit) for limit in memory]
        return limited


_UNLIMITED = {
    1: ("cpu.cfs_quota_us", "-1"),
    2: ("cpu.max", f"max {PERIOD_US}"),
}
"""The setting without a limit of CPU time, by the version of cgroups."""

OPTIONAL = {"memory.swap.max", "memory.memsw.limit_in_bytes"}
"""Files that a kernel without support for swap limits does not have."""


class LimitedCgroup:
    """
    Cgroups with limits; processes that are started in ``joined`` share these.

    CPU time is limited as soon as ``limit_cpu_time`` is called.
    """

    def __init__(self, limits: Limits) -> None:
        """
        Create the cgroups.

        Raises:
            UsageError: they cannot be created or limited; the message has the remedy.
        """
        self._limits = limits
        self.is_cpu_limit_pending = limits.cpu_share_max is not None
        """Whether CPU time has a limit that does not apply yet."""

        self._cgroups: dict[str, Cgroup] = {}
        self.unified: Path | None = None
        """The cgroup of version 2, below which further ones can be created; ``None``
        with version 1."""

        self._version = 1 if any(map(own_folder, CONTROLLERS)) else 2
        settings = limits.settings(self._version)
        wanted = tuple(dict.fromkeys(controller for controller, _, _ in settings))
        try:
            if self._version == 1:
                self._create_each(wanted)
            else:
                self._create_unified(wanted)
            for setting in settings:
                self._write(*setting)
            if limits.cpu_share_max is not None:
                # It is written once now, so that an error is seen before a trial.
                self._write(*limits.cpu_time(self._version))
                self._write("cpu", *_UNLIMITED[self._version])
        except (OSError, _NoControllerError) as error:
            self.end()
            raise UsageError(
                f"the limits of [server_host] cannot be set: {error}; {REMEDY}"
            ) from error
        except BaseException:
            self.end()
            raise

    def limit_cpu_time(self) -> None:
        """Limit the CPU time from now on, if it has a limit."""
        if self._limits.cpu_share_max is not None:
            self._write(*self._limits.cpu_time(self._version))
            self.is_cpu_limit_pending = False

    def _write(self, controller: str, name: str, value: str) -> None:
        file = self._cgroups[controller].folder / name
        if name not in OPTIONAL or file.exists():
            file.write_text(value, encoding="ascii")

    @property
    def memory_bytes_max(self) -> int | None:
        """The limit of memory in bytes, kernel memory included."""
        return self._limits.memory_bytes_max

    @contextmanager
    def joined(self) -> Iterator[None]:
        """Move this process into the cgroups; processes started here remain there."""
        with ExitStack() as stack:
            for cgroup in self._distinct():
                stack.enter_context(cgroup.joined())
            yield

    def end(self) -> None:
        """
        Kill all members, and remove the cgroups.

        Raises:
            EngineError: a member cannot be killed.
        """
        cgroups, self._cgroups = self._distinct(), {}
        with ExitStack() as stack:
            for cgroup in cgroups:
                stack.callback(cgroup.end)

    def has_exceeded_memory(self) -> bool:
        """Whether the kernel has killed a process here for lack of memory."""
        cgroup = self._cgroups.get("memory")
        if cgroup is None:
            return False
        if self.unified:
            return _counters(cgroup.folder / "memory.events")["oom_kill"] > 0
        killed = _counters(cgroup.folder / "memory.oom_control").get("oom_kill", 0)
        limit = self._limits.memory_bytes_max or 0
        return killed > 0 or _bytes_of_version_1(cgroup.folder) > limit

    def _distinct(self) -> Sequence[Cgroup]:
        return list({id(cgroup): cgroup for cgroup in self._cgroups.values()}.values())

    def _create_each(self, controllers: Sequence[str]) -> None:
        """Create a cgroup of version 1 in the hierarchy of each controller."""
        for controller in controllers:
            if (parent := own_folder(controller)) is None:
                raise _NoControllerError(f"cgroups have no controller {controller}")
            sweep(parent)
            same = [
                cgroup for cgroup in self._distinct() if cgroup.folder.parent == parent
            ]
            self._cgroups[controller] = same[0] if same else Cgroup(parent)

    def _create_unified(self, controllers: Sequence[str]) -> None:
        """
        Create a cgroup of version 2, as near to that of this process as possible.

        A cgroup that has processes itself cannot give controllers to those below it
        (cgroups(7), *no internal processes*), but one of its ancestors can.
        """
        home = own_folder()
        if home is None:
            raise _NoControllerError("no cgroups are mounted here")
        error: OSError | None = None
        for parent in (home, *home.parents):
            if not (parent / "cgroup.controllers").exists():
                break
            try:
                _enable(parent, controllers)
                sweep(parent)
                made = Cgroup(parent, home)
            except OSError as caught:
                error = error or caught
                continue
            try:
                with made.joined():
                    pass
            except OSError as caught:
                error = error or caught
                made.remove()
                continue
            self._cgroups = dict.fromkeys(controllers, made)
            self.unified = made.folder
            return
        raise error or _NoControllerError(
            f"cgroups have no controller {' or '.join(controllers)}"
        )


class _NoControllerError(Exception):
    """A controller is not available; the message says which."""


@contextmanager
def new_limited_cgroup(limits: Limits | None) -> Iterator[LimitedCgroup | None]:
    """
    Create cgroups with limits for the block; do nothing without limits.

    Raises:
        UsageError: they cannot be created or limited; the message has the remedy.
    """
    if limits is None or not limits.text:
        yield None
        return
    cgroup = LimitedCgroup(limits)
    try:
        yield cgroup
    finally:
        cgroup.end()


def _enable(parent: Path, controllers: Sequence[str]) -> None:
    """Enable controllers for the cgroups below ``parent``, if they are not."""
    file = parent / "cgroup.subtree_control"
    missing = set(controllers) - set(file.read_text(encoding="ascii").split())
    if missing:
        text = " ".join(f"+{controller}" for controller in sorted(missing))
        file.write_text(text, encoding="ascii")


def _bytes_of_version_1(folder: Path) -> int:
    """Return the memory of a cgroup that cannot be reclaimed, with that of TCP."""
    used = int((folder / "memory.usage_in_bytes").read_text(encoding="ascii"))
    tcp = int((folder / "memory.kmem.tcp.usage_in_bytes").read_text(encoding="ascii"))
    counters = _counters(folder / "memory.stat")
    return used + tcp - sum(counters.get(name, 0) for name in _FILE_CACHE)


def _counters(file: Path) -> dict[str, int]:
    text = file.read_text(encoding="ascii")
    return {name: int(value) for name, value in _COUNTER.findall(text)}
