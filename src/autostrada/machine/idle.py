"""Waiting until the machine is idle: until no other program uses its cores."""

import os
import resource
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

LOAD_MAX = 0.1
"""Cores at work for others, of all that there are: so much is no noise."""

WINDOW_NS = 200_000_000
"""Over which the load is measured: twenty ticks of each core."""

LIMIT_NS = 2_000_000_000
"""How long a machine that is not quiet is waited for."""

LIMITS_MAX = 3
"""So often in a row; then it is taken to be as it is, until it is quiet again."""

_LOOK_EVERY_S = 0.05


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """What all cores and this process have done until one instant."""

    at_ns: int
    busy_ns: int
    """Of all cores together, for anybody."""

    own_ns: int
    """Of this process and those that it has started and waited for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class IdleState:
    """How long it was waited, and how many cores were at work for others then."""

    waited_ns: int
    load: float


def load_between(before: Work, after: Work) -> float:
    """Return how many cores were at work for others between two instants."""
    others_ns = (after.busy_ns - before.busy_ns) - (after.own_ns - before.own_ns)
    return max(0.0, others_ns / (after.at_ns - before.at_ns))


class IdleWait:
    """Waits before each trial, for a limited time."""

    def __init__(self) -> None:
        self._limits_hit = 0

    @property
    def limit_ns(self) -> int:
        """How long it would be waited for a quiet machine."""
        return LIMIT_NS if self._limits_hit < LIMITS_MAX else WINDOW_NS

    def wait_until_idle(self) -> IdleState:
        """Wait until the machine is quiet, or the limit is reached."""
        begun = take_work()
        readings = deque([begun])
        while True:
            time.sleep(_LOOK_EVERY_S)
            readings.append(take_work())
            latest = readings[-1]
            # The shortest window that is long enough, and ends here.
            while latest.at_ns - readings[1].at_ns >= WINDOW_NS:
                readings.popleft()
            waited_ns = latest.at_ns - begun.at_ns
            if waited_ns < WINDOW_NS:
                continue
            settled = IdleState(
                waited_ns=waited_ns, load=load_between(readings[0], latest)
            )
            if settled.load <= LOAD_MAX or waited_ns >= self.limit_ns:
                self.note(settled.load)
                return settled

    def note(self, load: float) -> None:
        """Remember whether the machine was quiet when the waiting ended."""
        self._limits_hit = 0 if load <= LOAD_MAX else self._limits_hit + 1


def take_work() -> Work:
    """Read what the kernel has counted until this instant."""
    with Path("/proc/stat").open(encoding="ascii") as stat:
        user, nice, system, _, _, irq, softirq = map(int, stat.readline().split()[1:8])
    ticks = user + nice + system + irq + softirq
    own_s = sum(
        used.ru_utime + used.ru_stime
        for used in map(
            resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
    )
    return Work(
        at_ns=time.monotonic_ns(),
        busy_ns=ticks * 1_000_000_000 // os.sysconf("SC_CLK_TCK"),
        own_ns=round(own_s * 1e9),
    )
