"""
Noise: what else used the machine's cores while something was measured.

It is found in the samples of a trial's observer, or in two snapshots of the kernel's
counters. All figures are differences of CLOCK_MONOTONIC, which never jumps.
"""

import os
import resource
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

from autostrada.machine.host import Host, join
from autostrada.stats.evidence import worked_ns
from autostrada.store.record import CoreSample, Observation

STEAL_SHARE_MAX = 0.01
"""Of a core: what the hypervisor may give to others."""

OTHERS_SHARE_MAX = 0.05
"""Of cores: what other processes may use."""

IDLE_STEAL_SHARE_MAX = 0.001
IDLE_OTHERS_SHARE_MAX = 0.02
"""Of all cores: so much is found on a host that has no other load."""

TICK_NS = 10_000_000
"""In which the kernel tells the time of cores (proc_stat(5)); less is not seen."""

TOLD_TICKS = 2
"""By so much two readings may be wrong that are in whole ticks."""

DEVIATIONS = 3
"""Of a count that is drawn tick by tick, before it means anything."""

SAMPLES_SHARE_MIN = 0.5
"""Of those that were planned: with fewer, what was seen is not the trial."""

SAMPLES_PLANNED_MIN = 2
"""In a window for which fewer were planned, one that is late may be all of them."""

WAIT_NS_MAX = 2 * TICK_NS
"""Who shares a core waits until the kernel looks at its clock whose turn it is: less
than that between two samples cannot be had."""

EVERYBODY = ("client", "server")


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Cores, and who of a trial runs there."""

    cpus: frozenset[int]
    processes: Set[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Use:
    """What cores did, added up."""

    busy_ns: int
    idle_ns: int
    steal_ns: int
    softirq_ns: int

    def __sub__(self, before: "Use") -> "Use":
        """Return what they did since."""
        return Use(
            busy_ns=self.busy_ns - before.busy_ns,
            idle_ns=self.idle_ns - before.idle_ns,
            steal_ns=self.steal_ns - before.steal_ns,
            softirq_ns=self.softirq_ns - before.softirq_ns,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Balance:
    """What cores did in a span of time, and what of it a trial's processes did."""

    cpus: frozenset[int]
    span_ns: int
    """Of all these cores together."""

    work_ns: int
    own_ns: int
    softirq_ns: int

    @property
    def doubt_ns(self) -> float:
        """By how much it may be wrong."""
        return doubt_ns(self.work_ns, self.span_ns)


def places(host: Host) -> tuple[Place, ...]:
    """Return where a trial's processes run: each on its own cores, or all on some."""
    if host.is_apart:
        return (
            Place(cpus=host.server_cpus, processes={"server"}),
            Place(cpus=host.client_cpus, processes={"client"}),
        )
    return (Place(cpus=host.server_cpus | host.client_cpus, processes=set(EVERYBODY)),)


def disturbance(
    observation: Observation, places: Sequence[Place], window_ns: int | None
) -> str:
    """
    Say what disturbed a trial, with the figure; ``""`` where nothing is known to have.

    ``window_ns`` is how long it was measured, from instant 0 of the samples; ``None``
    for a trial that failed: then all that was seen counts.
    """
    return "; ".join(_disturbances(observation, places, window_ns))


def missed_samples(observation: Observation, window_ns: int, every_ms: float) -> str:
    """
    Say that the observer was delayed itself; ``""`` where it was not.

    ``every_ms`` is the interval at which it samples. Whether there was an observer
    at all is not asked here: what it could not see is named with the reason.
    """
    instants = {each.since_start_ns for each in observation.process_samples}
    instants |= {each.since_start_ns for each in observation.host_samples}
    planned = int(window_ns / max(every_ms * 1e6, WAIT_NS_MAX))
    samples = sum(0 <= instant <= window_ns for instant in instants)
    is_telling = instants and planned >= SAMPLES_PLANNED_MIN
    if not is_telling or samples >= SAMPLES_SHARE_MIN * planned:
        return ""
    return f"the observer took {samples} of {planned} samples"


def _disturbances(
    observation: Observation, places: Sequence[Place], window_ns: int | None
) -> Iterator[str]:
    for place in places:
        for cpu in sorted(place.cpus):
            yield from _steal(observation, cpu, window_ns)
    balances = [_balance(observation, place, window_ns) for place in places]
    yield from _others([balance for balance in balances if balance])


def _steal(observation: Observation, cpu: int, window_ns: int | None) -> Iterator[str]:
    """Did the hypervisor give a core to others?"""
    samples = {
        sample.since_start_ns: sample.steal_ns
        for sample in observation.core_samples
        if sample.core == cpu and sample.steal_ns is not None
    }
    if (span := _span(samples, window_ns)) is None:
        return
    first, last = span
    stolen_ns = samples[last] - samples[first]
    share = stolen_ns / (last - first)
    if share > STEAL_SHARE_MAX and stolen_ns > TICK_NS:
        yield f"steal {share:.0%} of core {cpu}"


def _others(balances: Sequence[Balance]) -> Iterator[str]:
    """
    Did other processes work on a trial's cores?

    Handling what the network brings (softirq) interrupts a process. Most kernels count
    it as the process's own time; with CONFIG_IRQ_TIME_ACCOUNTING it is nobody's. Where
    processes have worked more than was left beside it, it must be theirs; else it may
    be nobody's, and is not taken for the work of others.
    """
    is_theirs = any(
        each.own_ns > each.work_ns - each.softirq_ns + each.doubt_ns
        for each in balances
    )
    for each in balances:
        others_ns = each.work_ns - each.own_ns
        if not is_theirs:
            others_ns -= each.softirq_ns
        if others_ns - each.doubt_ns > OTHERS_SHARE_MAX * each.span_ns:
            named = "core" if len(each.cpus) == 1 else "cores"
            share = others_ns / each.span_ns
            yield f"others used {share:.0%} of {named} {join(each.cpus)}"


def _balance(
    observation: Observation, place: Place, window_ns: int | None
) -> Balance | None:
    """
    Set the work of a place's cores against that of its processes.

    An observer that is delayed after it has read processes, and before it reads cores,
    makes only what idle time leaves over larger.
    """
    own = _own_ns(observation, place)
    cores = _cores(observation, place)
    if (span := _span(own.keys() & cores.keys(), window_ns)) is None:
        return None
    first, last = span
    used = cores[last] - cores[first]
    span_ns = (last - first) * len(place.cpus)
    return Balance(
        cpus=place.cpus,
        span_ns=span_ns,
        work_ns=worked_ns(
            span_ns=span_ns,
            busy_ns=used.busy_ns,
            idle_ns=used.idle_ns,
            steal_ns=used.steal_ns,
        ),
        own_ns=own[last] - own[first],
        softirq_ns=used.softirq_ns,
    )


def doubt_ns(work_ns: int, span_ns: int) -> float:
    """
    Return by how much the work on cores may be wrong in a span of time.

    Both readings are in ticks; and where the tick itself counts, each one finds
    work with a probability that is the share of work: the deviation is binomial.
    """
    share = min(1.0, max(0.0, work_ns / span_ns))
    deviation_ns = TICK_NS * sqrt(span_ns / TICK_NS * share * (1 - share))
    return TOLD_TICKS * TICK_NS + DEVIATIONS * deviation_ns


def _own_ns(observation: Observation, place: Place) -> dict[int, int]:
    """Return the CPU time of a place at each sample that has all its processes."""
    seen: dict[int, dict[str, int]] = defaultdict(dict)
    for sample in observation.process_samples:
        if sample.process in place.processes:
            seen[sample.since_start_ns][sample.process] = sample.cpu_ns
    return {
        instant: sum(used_ns.values())
        for instant, used_ns in seen.items()
        if len(used_ns) == len(place.processes)
    }


def _cores(observation: Observation, place: Place) -> dict[int, Use]:
    """Return what a place's cores did until each sample that saw all of them."""
    seen: dict[int, list[CoreSample]] = defaultdict(list)
    for sample in observation.core_samples:
        if sample.core in place.cpus:
            seen[sample.since_start_ns].append(sample)
    return {
        instant: Use(
            busy_ns=sum(sample.busy_ns for sample in samples),
            idle_ns=sum(sample.idle_ns for sample in samples),
            steal_ns=sum(sample.steal_ns or 0 for sample in samples),
            softirq_ns=sum(sample.softirq_ns for sample in samples),
        )
        for instant, samples in seen.items()
        if len(samples) == len(place.cpus)
    }


def _span(samples: Iterable[int], window_ns: int | None) -> tuple[int, int] | None:
    """Return the two samples that enclose the window most closely, if there are two."""
    ordered = sorted(samples)
    if not ordered:
        return None
    if window_ns is None:
        first, last = ordered[0], ordered[-1]
    else:
        first = max((sample for sample in ordered if sample <= 0), default=ordered[0])
        last = min(
            (sample for sample in ordered if sample >= window_ns), default=ordered[-1]
        )
    return (first, last) if first < last else None


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
    """How long anything was ready to run and had no core; 0 where it is not known."""


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


def is_idle(noises: Collection[Noise]) -> bool:
    """Whether the host had no other load while all of these were measured."""
    elapsed_s = sum(each.elapsed_s for each in noises)
    stolen_s = sum(each.steal_share * each.elapsed_s for each in noises)
    others_s = sum(each.others_share * each.elapsed_s for each in noises)
    return (
        stolen_s <= IDLE_STEAL_SHARE_MAX * elapsed_s
        and others_s <= IDLE_OTHERS_SHARE_MAX * elapsed_s
    )


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


def closed_sockets() -> int:
    """Return how many closed connections the kernel still keeps (TIME_WAIT)."""
    with suppress(OSError, ValueError):
        with Path("/proc/thread-self/net/sockstat").open(encoding="utf-8") as file:
            [line] = [each.split() for each in file if each.startswith("TCP:")]
        return int(line[line.index("tw") + 1])
    return 0
