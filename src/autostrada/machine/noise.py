"""
Noise: the use of the machine's cores by other processes during a measurement.

It is computed from the samples of a trial's observer, or from two samples of the
kernel's counters. All times are differences of CLOCK_MONOTONIC, which never jumps.
"""

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

from autostrada.machine.host import Host, join
from autostrada.machine.idle import CpuSample, load_between
from autostrada.stats.evidence import worked_ns
from autostrada.store.record import CoreSample, Observation

STEAL_SHARE_MAX = 0.01
"""Share of a core that the hypervisor may take in an undisturbed calibration."""

OTHERS_SHARE_MAX = 0.05
"""Share of a trial's cores that other processes may use in an undisturbed trial."""

IDLE_STEAL_SHARE_MAX = 0.001
IDLE_OTHERS_SHARE_MAX = 0.02
"""Shares of all cores: a host with less steal and less use by others is idle."""

TICK_NS = 10_000_000
"""Resolution of the kernel's times of cores (proc_stat(5))."""

READING_TICKS = 2
"""Largest error of the difference of two readings in whole ticks, in ticks."""

DEVIATIONS = 3
"""Number of standard deviations that a sampled count must exceed to be significant."""

SAMPLES_SHARE_MIN = 0.5
"""Smallest share of the planned samples with which an observation is representative."""

SAMPLES_PLANNED_MIN = 2
"""Smallest number of planned samples for which missed samples are reported: with fewer,
a single late sample could be all of them."""

WAIT_NS_MAX = 2 * TICK_NS
"""Shortest reliable sampling interval of an observer that shares its core: it may wait
that long for its time slice."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CoreGroup:
    """A set of cores, and the names of the trial's processes that run there."""

    cpus: frozenset[int]
    processes: Set[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class CpuUsage:
    """The work of cores in a span of time, and the part of the trial's processes."""

    cpus: frozenset[int]
    span_ns: int
    """Elapsed time multiplied by the number of cores."""

    work_ns: int
    """Time in which the cores worked, for any process."""

    own_ns: int
    """CPU time of the trial's processes."""

    softirq_ns: int
    """Time in which the cores handled softirqs."""

    @property
    def error_ns_max(self) -> float:
        """Largest plausible error of ``work_ns``."""
        return error_ns_max(self.work_ns, self.span_ns)


def core_groups(
    host: Host, extra: Mapping[str, frozenset[int]] | None = None
) -> tuple[CoreGroup, ...]:
    """
    Return the core groups of a trial: processes that share cores are in one group.

    ``extra`` are the cores of processes that belong to neither end, by name.
    """
    cpus = {"server": host.server_cpus, "client": host.client_cpus, **(extra or {})}
    groups: list[CoreGroup] = []
    for name, own in cpus.items():
        group = CoreGroup(cpus=own, processes={name})
        for other in [each for each in groups if each.cpus & own]:
            groups.remove(other)
            group = CoreGroup(
                cpus=other.cpus | group.cpus,
                processes=other.processes | group.processes,
            )
        groups.append(group)
    return tuple(groups)


def disturbance(
    observation: Observation, groups: Sequence[CoreGroup], window_ns: int | None
) -> str:
    """
    Describe the disturbances of a trial, with metrics; ``""`` if none was detected.

    Stolen time is none: it slows down both sides of a comparison alike.
    ``window_ns`` is the duration of the window, which begins at time 0 of the samples;
    with ``None``, for a failed trial, all samples count.
    """
    usages = [_cpu_usage(observation, group, window_ns) for group in groups]
    return "; ".join(_others([usage for usage in usages if usage]))


def stolen_share(
    observation: Observation, groups: Sequence[CoreGroup], window_ns: int | None
) -> float | None:
    """
    Return the largest share of a core of the trial that the hypervisor took.

    ``window_ns`` is as in ``disturbance``. The result is ``None`` if the kernel does
    not count stolen time, or without two samples.
    """
    shares = []
    for cpu in {cpu for group in groups for cpu in group.cpus}:
        samples = {
            sample.since_start_ns: sample.steal_ns
            for sample in observation.core_samples
            if sample.core == cpu and sample.steal_ns is not None
        }
        if span := _span(samples, window_ns):
            first, last = span
            shares.append((samples[last] - samples[first]) / (last - first))
    return max(shares, default=None)


def missed_samples(observation: Observation, window_ns: int, every_ms: float) -> str:
    """
    Describe missed samples of the observer; ``""`` if it took enough.

    ``every_ms`` is the sampling interval. The result is also ``""`` if there are no
    samples at all: the reason is then in ``Observation.missing_metrics``.
    """
    instants = {sample.since_start_ns for sample in observation.process_samples}
    instants |= {sample.since_start_ns for sample in observation.host_samples}
    planned = int(window_ns / max(every_ms * 1e6, WAIT_NS_MAX))
    samples = sum(0 <= instant <= window_ns for instant in instants)
    is_significant = instants and planned >= SAMPLES_PLANNED_MIN
    if not is_significant or samples >= SAMPLES_SHARE_MIN * planned:
        return ""
    return f"the observer took {samples} of {planned} samples"


def _others(usages: Sequence[CpuUsage]) -> Iterator[str]:
    """
    Yield a disturbance for each core group where other processes used too much time.

    Network traffic is handled in softirqs, which interrupt a process. Most kernels
    count them as CPU time of that process; with CONFIG_IRQ_TIME_ACCOUNTING they belong
    to no process. If the trial's processes have more CPU time than the cores worked
    without softirqs, the kernel counts softirqs for processes. Otherwise softirqs may
    belong to no process and are not attributed to others.
    """
    is_theirs = any(
        usage.own_ns > usage.work_ns - usage.softirq_ns + usage.error_ns_max
        for usage in usages
    )
    for usage in usages:
        others_ns = usage.work_ns - usage.own_ns
        if not is_theirs:
            others_ns -= usage.softirq_ns
        if others_ns - usage.error_ns_max > OTHERS_SHARE_MAX * usage.span_ns:
            named = "core" if len(usage.cpus) == 1 else "cores"
            share = others_ns / usage.span_ns
            yield f"others used {share:.0%} of {named} {join(usage.cpus)}"


def _cpu_usage(
    observation: Observation, group: CoreGroup, window_ns: int | None
) -> CpuUsage | None:
    """
    Return the work of a group's cores and processes; ``None`` without two samples.

    If the observer is delayed between reading processes and reading cores, only the
    work that is computed from idle time grows, of which ``worked_ns`` takes the minimum
    with the busy time.
    """
    own = _own_ns(observation, group)
    cores = _cores(observation, group)
    if (span := _span(own.keys() & cores.keys(), window_ns)) is None:
        return None
    first, last = span
    span_ns = (last - first) * len(group.cpus)

    def used_ns(name: str) -> int:
        before, after = (
            sum(getattr(sample, name) or 0 for sample in cores[instant])
            for instant in (first, last)
        )
        return after - before

    return CpuUsage(
        cpus=group.cpus,
        span_ns=span_ns,
        work_ns=worked_ns(
            span_ns=span_ns,
            busy_ns=used_ns("busy_ns"),
            idle_ns=used_ns("idle_ns"),
            steal_ns=used_ns("steal_ns"),
        ),
        own_ns=own[last] - own[first],
        softirq_ns=used_ns("softirq_ns"),
    )


def error_ns_max(work_ns: int, span_ns: int) -> float:
    """
    Return the largest plausible error of the work on cores in a span of time.

    Both readings are in whole ticks. If the kernel counts work by sampling at each
    tick, the count has a binomial distribution with the share of work as probability.
    """
    share = min(1.0, max(0.0, work_ns / span_ns))
    deviation_ns = TICK_NS * sqrt(span_ns / TICK_NS * share * (1 - share))
    return READING_TICKS * TICK_NS + DEVIATIONS * deviation_ns


def _own_ns(observation: Observation, group: CoreGroup) -> dict[int, int]:
    """Return the CPU time of a group's processes, by the time of complete samples."""
    by_instant: dict[int, dict[str, int]] = defaultdict(dict)
    for sample in observation.process_samples:
        if sample.process in group.processes:
            by_instant[sample.since_start_ns][sample.process] = sample.cpu_ns
    return {
        instant: sum(used_ns.values())
        for instant, used_ns in by_instant.items()
        if len(used_ns) == len(group.processes)
    }


def _cores(observation: Observation, group: CoreGroup) -> dict[int, list[CoreSample]]:
    """Return the samples of a group's cores, by the time of complete samples."""
    by_instant: dict[int, list[CoreSample]] = defaultdict(list)
    for sample in observation.core_samples:
        if sample.core in group.cpus:
            by_instant[sample.since_start_ns].append(sample)
    return {
        instant: samples
        for instant, samples in by_instant.items()
        if len(samples) == len(group.cpus)
    }


def _span(samples: Iterable[int], window_ns: int | None) -> tuple[int, int] | None:
    """Return the times of the samples next to the window; ``None`` without two."""
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
class Noise:
    """The noise during one measurement."""

    others_share: float
    """Share of all cores that other processes used."""

    steal_share: float
    elapsed_s: float
    waited_ns: int = 0
    """Time in which the server was ready to run and had no core."""

    pressure_ns: int = 0
    """Time in which any process was ready to run and had no core; 0 if unknown."""


def between(before: CpuSample, after: CpuSample) -> Noise:
    """Return the noise between two samples."""
    elapsed_ns = max(1, after.at_ns - before.at_ns)
    interrupts_ns = after.interrupts_ns - before.interrupts_ns
    others = load_between(before, after) - interrupts_ns / elapsed_ns
    cores = os.cpu_count() or 1
    return Noise(
        others_share=max(0.0, others) / cores,
        steal_share=(after.steal_ns - before.steal_ns) / elapsed_ns / cores,
        elapsed_s=elapsed_ns / 1e9,
    )


def is_idle(noises: Collection[Noise]) -> bool:
    """Whether the host had no other load during all of these measurements."""
    elapsed_s = sum(noise.elapsed_s for noise in noises)
    stolen_s = sum(noise.steal_share * noise.elapsed_s for noise in noises)
    others_s = sum(noise.others_share * noise.elapsed_s for noise in noises)
    return (
        stolen_s <= IDLE_STEAL_SHARE_MAX * elapsed_s
        and others_s <= IDLE_OTHERS_SHARE_MAX * elapsed_s
    )


def waited_ns(pid: int) -> int:
    """Return the time that all threads of a process waited for a core."""
    sum_ns = 0
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                sum_ns += int((task / "schedstat").read_text().split()[1])
    return sum_ns
