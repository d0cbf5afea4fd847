"""Was the machine quiet while it was measured? What the kernel counts says so."""

import os
import resource
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from autostrada.calibration.fault_cases import FaultCase, Kind
from autostrada.calibration.judgement import (
    CaseRun,
    Evidence,
    drift_ns,
    tolerance_ns,
)

OTHERS_SHARE_MAX = 0.05
"""Of all cores: what other processes may use."""

STEAL_SHARE_MAX = 0.01
"""Of all cores: what the hypervisor may give to others."""

LATE_SHARE_MAX = 0.01
MS = 1_000_000
LATE_NS_MAX = 5 * MS
"""Half of what makes a message slow: none that was not is counted among the slow."""

WAITED_SHARE_MAX = 0.05
WAITED_NS_MAX = 5 * MS
WAKE_NS_MAX = 5_000
"""It takes a moment to be woken for a message, also on an idle core."""

CLOSED_NS_MAX = 40 * MS
"""Less than half a stall: such waits together make no message slow that was not."""

PRESSURE_NS_MAX = 10 * MS
"""While a feed is received, which tells nothing of the client's own lateness."""

_EXTREME = frozenset({Kind.HEALTHY, Kind.STALL, Kind.PAUSE, Kind.BURST})
"""Kinds of which one message counts, not the median of many."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Snapshot:
    """What the kernel has counted until one instant."""

    all_ticks: int
    """Of all cores together."""

    busy_ticks: int
    steal_ticks: int
    own_ticks: float
    """Of this process and all it has started."""

    waited_ns: int
    """How long the servers were ready to run and had no core."""

    pressure_ns: int
    """How long anything was ready to run and had no core; 0 where it is not told."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Noise:
    """What disturbed one measurement."""

    others_share: float
    steal_share: float
    waited_ns: int
    pressure_ns: int
    elapsed_s: float


def between(before: Snapshot, after: Snapshot) -> Noise:
    """Return what others took between two instants."""
    all_ticks = max(1, after.all_ticks - before.all_ticks)
    busy = after.busy_ticks - before.busy_ticks
    own = after.own_ticks - before.own_ticks
    return Noise(
        others_share=max(0.0, busy - own) / all_ticks,
        steal_share=(after.steal_ticks - before.steal_ticks) / all_ticks,
        waited_ns=after.waited_ns - before.waited_ns,
        pressure_ns=after.pressure_ns - before.pressure_ns,
        elapsed_s=all_ticks / (os.sysconf("SC_CLK_TCK") * (os.cpu_count() or 1)),
    )


def disturbance(
    case: FaultCase, case_run: CaseRun, noises: Iterable[Noise]
) -> str | None:
    """
    Return why the figures of a case cannot be trusted, or ``None``.

    What is counted is not excused by noise, only by messages that were not sent.
    """
    return next(_disturbances(case, case_run, noises), None)


def _disturbances(
    case: FaultCase, case_run: CaseRun, noises: Iterable[Noise]
) -> Iterator[str]:
    measured = (case_run.evidence, *case_run.controls)
    for reading in (each.reading for each in measured):
        if reading.has_left_out and case.kind not in {Kind.CLOSE, Kind.ABORT}:
            yield f"{reading.unsent + reading.overdue} messages were not sent"
    if not case.is_timed:
        return
    for noise in noises:
        yield from _noisy(case, noise)
    for evidence in measured:
        yield from _late(case, evidence)
    if case.kind is Kind.DELAY:
        delay_ms = case.faults["delay_ms"]
        assert isinstance(delay_ms, int | float)
        if drift_ns(case_run) > tolerance_ns(delay_ms * MS) / 2:
            yield f"the controls lie {drift_ns(case_run) / 1000:.0f} µs apart"


def _noisy(case: FaultCase, noise: Noise) -> Iterator[str]:
    if noise.others_share > OTHERS_SHARE_MAX:
        yield f"others used {noise.others_share:.0%} of the cores"
    if noise.steal_share > STEAL_SHARE_MAX:
        yield f"{noise.steal_share:.0%} of the time was stolen"
    if noise.waited_ns > _waited_ns_max(case, noise):
        yield f"the server waited {noise.waited_ns / MS:.1f} ms for a core"
    if case.feed is not None and noise.pressure_ns > PRESSURE_NS_MAX:
        yield f"cores were waited for {noise.pressure_ns / MS:.1f} ms"


def _waited_ns_max(case: FaultCase, noise: Noise) -> float:
    if case.kind in _EXTREME:
        return WAITED_NS_MAX + WAKE_NS_MAX * case.messages
    if case.kind is Kind.STALL_CLOSED:
        return CLOSED_NS_MAX
    return WAITED_SHARE_MAX * noise.elapsed_s * 1e9


def _late(case: FaultCase, evidence: Evidence) -> Iterator[str]:
    """A client that sends late by itself cannot tell what the server does."""
    lateness_ns = evidence.reading.lateness_ns
    late = lateness_ns.count_from(MS)
    if case.kind not in _EXTREME:
        if late > LATE_SHARE_MAX * lateness_ns.count:
            yield f"{late} messages were sent 1 ms late"
    elif send_delay_ns.longest_ns > evidence.paused_ns + LATE_NS_MAX:
        yield f"the client was {send_delay_ns.longest_ns / MS:.1f} ms late"


def take_snapshot(children: Iterable[int]) -> Snapshot:
    """Read the kernel's counters; ``children`` are the processes that live."""
    children = list(children)
    fields = [int(word) for word in _first_line("/proc/stat").split()[1:]]
    user, nice, system, idle, iowait, irq, softirq = fields[:7]
    steal = fields[7] if len(fields) > 7 else 0
    ticks_per_s = os.sysconf("SC_CLK_TCK")
    own_s = sum(
        used.ru_utime + used.ru_stime
        for used in map(
            resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
    )
    return Snapshot(
        all_ticks=user + nice + system + idle + iowait + irq + softirq + steal,
        busy_ticks=user + nice + system,
        steal_ticks=steal,
        own_ticks=own_s * ticks_per_s + sum(map(_ticks_of, children)),
        waited_ns=sum(map(_waited_ns, children)),
        pressure_ns=_pressure_ns(),
    )


def _ticks_of(pid: int) -> int:
    with suppress(OSError):
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
        user, system = stat.rpartition(")")[2].split()[11:13]
        return int(user) + int(system)
    return 0


def _waited_ns(pid: int) -> int:
    """Return how long all threads of a process waited for a core."""
    waited_ns = 0
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                waited_ns += int(_first_line(str(task / "schedstat")).split()[1])
    return waited_ns


def _pressure_ns() -> int:
    with suppress(OSError):
        return 1000 * int(_first_line("/proc/pressure/cpu").rpartition("=")[2])
    return 0


def _first_line(path: str) -> str:
    with Path(path).open(encoding="utf-8") as file:
        return file.readline()
