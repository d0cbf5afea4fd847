"""What was observed of a trial in its slices, as if these had followed each other."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from statistics import median
from typing import TypeVar

from autostrada.evidence.ends import SAMPLES_MIN
from autostrada.stats.evidence import EndName
from autostrada.store.record import (
    CoreSample,
    HostSample,
    MetricValue,
    Observation,
    ProcessSample,
    SliceRow,
    SocketSample,
)

Sample = TypeVar("Sample", ProcessSample, SocketSample, HostSample, CoreSample)

COUNTERS: Mapping[type, frozenset[str]] = {
    ProcessSample: frozenset(
        {
            "cpu_ns",
            "user_ns",
            "system_ns",
            "switches_voluntary",
            "switches_forced",
            "faults_minor",
            "faults_major",
        }
    ),
    SocketSample: frozenset(
        {
            "sent_bytes",
            "received_bytes",
            "segments_out",
            "segments_in",
            "retransmits",
            "busy_ns",
            "receive_window_limited_ns",
            "send_buffer_limited_ns",
        }
    ),
    HostSample: frozenset(
        field.name
        for field in fields(HostSample)
        if field.name
        not in {
            "since_start_ns",
            "memory_available_bytes",
            "slab_bytes",
            "tcp_memory_bytes",
        }
    ),
    CoreSample: frozenset(
        {
            "busy_ns",
            "idle_ns",
            "steal_ns",
            "softirq_ns",
            "loops",
            "loops_ns",
            "messages",
            "messages_ns",
        }
    ),
}
"""The metrics of each kind of sample that grow with time."""


def within_slices(observation: Observation, slices: Sequence[SliceRow]) -> Observation:
    """
    Return the samples taken within slices, without the time between them.

    The first sample of a slice has the instant and the counters of the last one of the
    slice before it, so that rates between any two samples are those within slices.
    Samples from before the first slice remain. Without slices, all samples remain. The
    instants of samples are relative to the first slice.
    """
    if not slices:
        return observation
    first_ns = slices[0].since_start_ns
    slices = [
        replace(each, since_start_ns=each.since_start_ns - first_ns) for each in slices
    ]
    return replace(
        observation,
        process_samples=tuple(_concatenate(observation.process_samples, slices)),
        socket_samples=tuple(_concatenate(observation.socket_samples, slices)),
        host_samples=tuple(_concatenate(observation.host_samples, slices)),
        core_samples=tuple(_concatenate(observation.core_samples, slices)),
    )


def with_speeds(
    slices: Sequence[SliceRow],
    samples: Sequence[CoreSample],
    cpus: Mapping[EndName, frozenset[int]],
) -> tuple[SliceRow, ...]:
    """
    Return slices with the speed of the cores of each end, and of messages between them.

    The instants of samples are relative to the first slice.
    """
    found = []
    for turn in slices:
        begin_ns = turn.since_start_ns - slices[0].since_start_ns
        end_ns = begin_ns + turn.duration_ns
        within = [each for each in samples if begin_ns <= each.since_start_ns <= end_ns]
        loop_ns = {
            end: _mean(within, cores, lambda sample: (sample.loops, sample.loops_ns))
            for end, cores in cpus.items()
        }
        every = frozenset().union(*cpus.values())
        message_ns = _mean(
            within, every, lambda sample: (sample.messages, sample.messages_ns)
        )
        found.append(
            replace(
                turn,
                server_loop_ns=loop_ns.get("server"),
                client_loop_ns=loop_ns.get("client"),
                core_message_ns=message_ns,
            )
        )
    return tuple(found)


def _mean(
    samples: Sequence[CoreSample],
    cores: frozenset[int],
    counters: Callable[[CoreSample], tuple[int | None, int | None]],
) -> float | None:
    """Return the mean time of what was counted on some cores; ``None`` if unknown."""
    number = sum_ns = 0
    for core in cores:
        of_core = [counters(each) for each in samples if each.core == core]
        known = [(one, ns) for one, ns in of_core if one is not None and ns is not None]
        if known:
            number += known[-1][0] - known[0][0]
            sum_ns += known[-1][1] - known[0][1]
    return sum_ns / number if number else None


def slice_metrics(
    slices: Sequence[SliceRow],
    before: SliceRow | None,
    observation: Observation,
    *,
    of_server: bool,
    settling: Sequence[SliceRow] = (),
) -> Iterator[MetricValue]:
    """
    Yield what the contestant's CPU time in all slices tells; nothing if it is unknown.

    ``before`` is the time just before the first slice, in which no other trial ran, and
    ``observation`` has the samples within slices. ``settling`` is the beginning of each
    turn, before its slice.
    """
    cost_ns = _cost_ns(slices, of_server=of_server)
    if cost_ns is None:
        return
    process = "server" if of_server else "client"
    yield MetricValue(process=process, metric="messages_per_cpu_s", value=1e9 / cost_ns)
    before_ns = _cost_ns([before], of_server=of_server) if before else None
    if before_ns:
        ratio = cost_ns / before_ns
        yield MetricValue(process=process, metric="slices_cost_ratio", value=ratio)
    if settling:
        value = _settling_ms(settling, slices)
        yield MetricValue(process=process, metric="slices_settling_ms", value=value)
    waits_per_ns = _waits_per_ns(process, observation.process_samples)
    if waits_per_ns:
        messages = sum(each.messages for each in slices)
        waits = waits_per_ns * sum(each.duration_ns for each in slices)
        value = messages / waits
        yield MetricValue(process=process, metric="messages_per_wakeup", value=value)


def _settling_ms(settling: Sequence[SliceRow], slices: Sequence[SliceRow]) -> float:
    """Return how long turns began without messages at the rate of all slices."""
    duration_ns = sum(each.duration_ns for each in slices)
    ns_per_message = duration_ns / sum(each.messages for each in slices)
    idle_ns = (each.duration_ns - each.messages * ns_per_message for each in settling)
    return median(idle_ns) / 1e6


def _waits_per_ns(process: str, samples: Sequence[ProcessSample]) -> float | None:
    """Return how often the threads of a process waited; ``None`` if it is unknown."""
    known = [
        (sample.since_start_ns, sample.switches_voluntary)
        for sample in samples
        if sample.process == process
        and sample.since_start_ns >= 0
        and sample.switches_voluntary is not None
    ]
    if len(known) < SAMPLES_MIN or known[-1][0] == known[0][0]:
        return None
    return (known[-1][1] - known[0][1]) / (known[-1][0] - known[0][0])


def slices_cpu_ns(slices: Sequence[SliceRow], *, of_server: bool) -> int | None:
    """Return the CPU time of an end in all slices; ``None`` if it is not known."""
    times = [each.server_cpu_ns if of_server else each.client_cpu_ns for each in slices]
    known = [time for time in times if time is not None]
    return sum(known) if known and len(known) == len(times) else None


def _cost_ns(slices: Sequence[SliceRow], *, of_server: bool) -> float | None:
    """Return the CPU time of a message; ``None`` if it is not known or is 0."""
    cpu_ns = slices_cpu_ns(slices, of_server=of_server)
    messages = sum(each.messages for each in slices)
    return cpu_ns / messages if cpu_ns and messages else None


def _concatenate(
    samples: Sequence[Sample], slices: Sequence[SliceRow]
) -> Iterator[Sample]:
    """Yield the samples of all processes, or cores, in the order of their instants."""
    by_source: dict[object, list[Sample]] = defaultdict(list)
    for sample in samples:
        by_source[_source(sample)].append(sample)
    in_slices = [
        sample
        for of_source in by_source.values()
        for sample in _concatenate_one(of_source, slices)
    ]
    yield from sorted(in_slices, key=lambda sample: sample.since_start_ns)


def _source(sample: Sample) -> object:
    return getattr(sample, "process", None) or getattr(sample, "core", None)


def _concatenate_one(
    samples: Sequence[Sample], slices: Sequence[SliceRow]
) -> Iterator[Sample]:
    """Yield the samples of one process or core, without what is between the slices."""
    if not samples:
        return
    begin_ns = slices[0].since_start_ns
    yield from (each for each in samples if each.since_start_ns < begin_ns)
    names = {"since_start_ns", *COUNTERS[type(samples[0])]}
    between = dict.fromkeys(names, 0)
    last: Sample | None = None
    for turn in slices:
        end_ns = turn.since_start_ns + turn.duration_ns
        is_first = True
        for sample in samples:
            if not turn.since_start_ns <= sample.since_start_ns <= end_ns:
                continue
            if is_first and last:
                for name in names:
                    between[name] += _difference(name, last, sample)
            is_first, last = False, sample
            yield replace(
                sample,
                **{
                    name: value - between[name]
                    for name in names
                    if (value := getattr(sample, name)) is not None
                },
            )


def _difference(name: str, before: Sample, after: Sample) -> int:
    """Return how much a metric grew between two samples; 0 if it is not known."""
    values = getattr(before, name), getattr(after, name)
    return 0 if None in values else values[1] - values[0]
