"""Waits until the machine is idle, that is, until no other program uses its cores."""

import os
import resource
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

LOAD_MAX = 0.1
"""Largest load of an idle machine, in cores used by other programs."""

WINDOW_NS = 200_000_000
"""Time over which the load is measured: twenty ticks of each core."""

LIMIT_NS = 2_000_000_000
"""Longest wait for a machine to become idle."""

LIMITS_MAX = 3
"""Number of consecutive waits that may reach ``LIMIT_NS``. Afterwards the wait is
limited to ``WINDOW_NS``, until the machine is idle again."""

_SAMPLE_EVERY_S = 0.05


@dataclass(frozen=True, kw_only=True, slots=True)
class CpuSample:
    """CPU time of all cores and of this process up to one instant."""

    at_ns: int
    busy_ns: int
    """Busy time of all cores together."""

    own_ns: int
    """CPU time of this process and of its children that have been waited for."""

    interrupts_ns: int = 0
    """Part of the busy time that the kernel attributes to no process."""

    steal_ns: int = 0
    """Time that the hypervisor gave to other machines; 0 if it is not counted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class IdleState:
    """The result of a wait: its duration, and the load by others in cores."""

    waited_ns: int
    load: float


def load_between(before: CpuSample, after: CpuSample) -> float:
    """Return the mean number of cores that others used between two instants."""
    others_ns = (after.busy_ns - before.busy_ns) - (after.own_ns - before.own_ns)
    return max(0.0, others_ns / (after.at_ns - before.at_ns))


class IdleWait:
    """Waits for an idle machine before each trial, for a limited time."""

    def __init__(self) -> None:
        self._limits_hit = 0

    @property
    def limit_ns(self) -> int:
        """Limit of the next wait."""
        return LIMIT_NS if self._limits_hit < LIMITS_MAX else WINDOW_NS

    def wait_until_idle(self) -> IdleState:
        """Wait until the machine is idle or the limit is reached."""
        begun = take_cpu_sample()
        readings = deque([begun])
        while True:
            time.sleep(_SAMPLE_EVERY_S)
            readings.append(take_cpu_sample())
            latest = readings[-1]
            # Keep the shortest window that ends here and is at least WINDOW_NS long.
            while latest.at_ns - readings[1].at_ns >= WINDOW_NS:
                readings.popleft()
            waited_ns = latest.at_ns - begun.at_ns
            if waited_ns < WINDOW_NS:
                continue
            idle_state = IdleState(
                waited_ns=waited_ns, load=load_between(readings[0], latest)
            )
            if idle_state.load <= LOAD_MAX or waited_ns >= self.limit_ns:
                self.note(idle_state.load)
                return idle_state

    def note(self, load: float) -> None:
        """Record the load at the end of a wait, which determines the next limit."""
        self._limits_hit = 0 if load <= LOAD_MAX else self._limits_hit + 1


def take_cpu_sample() -> CpuSample:
    """Read the kernel's counters of CPU time."""
    with Path("/proc/stat").open(encoding="ascii") as stat:
        counters = [*map(int, stat.readline().split()[1:]), 0]
    user, nice, system, _, _, irq, softirq, steal = counters[:8]
    tick_ns = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
    own_s = sum(
        used.ru_utime + used.ru_stime
        for used in map(
            resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
    )
    return CpuSample(
        at_ns=time.monotonic_ns(),
        busy_ns=(user + nice + system + irq + softirq) * tick_ns,
        own_ns=round(own_s * 1e9),
        interrupts_ns=(irq + softirq) * tick_ns,
        steal_ns=steal * tick_ns,
    )
