"""Evidence about one end of a trial, computed from samples and totals."""

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import TypeVar, get_args

from autostrada.stats.evidence import EndName, worked_ns
from autostrada.stats.verdict import MOST_SHARE_MIN, UTILIZATION_MIN
from autostrada.store.record import (
    CoreSample,
    EndEvidence,
    MissingMetric,
    Observation,
    ProcessSample,
    ProcessTotal,
    SocketSample,
)

Sample = TypeVar("Sample", CoreSample, SocketSample, ProcessSample)

SAMPLES_MIN = 2
"""Minimum number of samples from which a counter gives a difference."""

TOO_FEW_SAMPLES = "the measured window has fewer than two samples"

ON_OTHER_HOSTS = "it was on other hosts, where only the engine's own counts are known"

HEADER_BYTES = 14 + 20 + 20 + 12
"""Size of the headers of a segment: Ethernet, IPv4, TCP, and the time stamps of TCP,
which Linux sends by default."""

SPAN_NS_MIN = 90_000_000
"""
Minimum time between two readings of a counter, in nanoseconds.

The kernel counts the time of cores and sockets in ticks of up to 10 ms, so differences
over a shorter span are too inaccurate.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class TrialEnd:
    """One end of a trial, and the cores that it may use."""

    process: EndName
    is_engine: bool
    cpus: Set[int]
    cpu_share_max: float | None = None
    """CPU time per second that it may use, as a share of one core; ``None`` for no
    limit."""

    utilization: float | None = None
    """Share of the time that the engine was busy, as it reports; else ``None``."""

    others_cpu_ns: int = 0
    """CPU time of other processes of the trial on the same cores, in nanoseconds."""


def end_evidence(
    end: TrialEnd,
    total: ProcessTotal | None,
    observation: Observation,
    duration_ns: int,
) -> EndEvidence:
    """
    Return the evidence about one end during the window that begins with the first byte.

    The utilization of a contestant is the larger of two: that of its cores, less that
    of other processes of the trial, and that of its CPU time. The cores are included
    because the kernel does not attribute all work for sockets to their process. The
    share is ``None`` if neither is known. If the CPU time is limited, the share is that
    of the limit, because the cores are not its own.
    """
    cpu_cores = total.cpu_ns / duration_ns if total else None
    utilization = end.utilization
    if utilization is None:
        utilization = _contestant_utilization(end, cpu_cores, observation, duration_ns)
    readings = [
        sample
        for sample in _within(observation.socket_samples, duration_ns)
        if sample.process == end.process and sample.sampled
    ]
    return EndEvidence(
        process=end.process,
        is_engine=end.is_engine,
        cpu_cores=cpu_cores,
        utilization=utilization,
        cpu_limit_cores=end.cpu_share_max,
        **_flow(readings),
    )


def _contestant_utilization(
    end: TrialEnd, cpu_cores: float | None, observation: Observation, duration_ns: int
) -> float | None:
    cores = max(1, len(end.cpus))
    limit = min(cores, end.cpu_share_max or cores)
    own_share = None if cpu_cores is None else min(1.0, cpu_cores / limit)
    if limit < cores:
        return own_share
    cores_share = _cores_utilization(observation, end.cpus, duration_ns)
    if cores_share is not None:
        others_share = end.others_cpu_ns / (duration_ns * max(1, len(end.cpus)))
        cores_share = max(0.0, cores_share - others_share)
    known = [share for share in (own_share, cores_share) if share is not None]
    return max(known, default=None)


def shared_cores_limit(end: TrialEnd, evidence: EndEvidence, duration_ns: int) -> str:
    """
    Describe how the engine's clients limited a contestant's; ``""`` if they did not.

    They did if they shared its cores, all of which were used, if less than
    ``UTILIZATION_MIN`` was left to the contestant, and if it was behind with reading.
    """
    share = end.others_cpu_ns / (duration_ns * max(1, len(end.cpus)))
    own_share = evidence.utilization
    if not share or own_share is None or own_share >= UTILIZATION_MIN:
        return ""
    filled_share = evidence.receive_queue_filled_share
    is_behind = filled_share is None or filled_share >= MOST_SHARE_MIN
    if own_share + share < UTILIZATION_MIN or not is_behind:
        return ""
    return f"the engine's clients used {share:.0%} of the cores of the client"


def total_from_samples(
    process: str, observation: Observation, duration_ns: int
) -> ProcessTotal | None:
    """
    Return the resources that one process used in the window, from its samples.

    The CPU time between the first and the last sample is extrapolated to the window.
    The result is ``None`` with fewer than two samples, or if they are of one instant,
    as where no slice has two; see ``missing_totals``.
    """
    readings = [
        sample
        for sample in _within(observation.process_samples, duration_ns)
        if sample.process == process
    ]
    if len(readings) < SAMPLES_MIN:
        return None
    first, last = readings[0], readings[-1]
    span_ns = last.since_start_ns - first.since_start_ns
    if not span_ns:
        return None
    return ProcessTotal(
        process=process,
        cpu_ns=(last.cpu_ns - first.cpu_ns) * duration_ns // span_ns,
        resident_bytes=last.resident_bytes,
        peak_resident_bytes=last.peak_resident_bytes,
    )


def available_share(
    observation: Observation, cpus: Set[int], duration_ns: int
) -> float:
    """
    Return the share of the window for which cores existed for this machine, in (0, 1].

    The rest was stolen by the hypervisor. The result is 1 if the kernel does not count
    stolen time, or if the samples cover less than ``SPAN_NS_MIN``.
    """
    span_ns = stolen_ns = 0
    for first, last in _core_spans(observation, cpus, duration_ns):
        span_ns += last.since_start_ns - first.since_start_ns
        stolen_ns += (last.steal_ns or 0) - (first.steal_ns or 0)
    return 1 - stolen_ns / span_ns if stolen_ns < span_ns else 1.0


def network_bytes_per_byte(
    process: str, observation: Observation, duration_ns: int
) -> float | None:
    """
    Return the bytes of all segments, headers included, per byte of data in them.

    Segments in both directions count, also those without data (acknowledgements). The
    result is that of the sampled sockets of one process, whose number may change;
    ``None`` if they were not sampled for long enough, or exchanged nothing.
    """
    readings = [
        sample
        for sample in _within(observation.socket_samples, duration_ns)
        if sample.process == process and sample.sampled
    ]
    if len(readings) < SAMPLES_MIN or not _is_long(readings):
        return None
    first, last = readings[0], readings[-1]
    data_bytes = (last.sent_bytes - first.sent_bytes) + (
        last.received_bytes - first.received_bytes
    )
    segments = (last.segments_out - first.segments_out) + (
        last.segments_in - first.segments_in
    )
    if data_bytes <= 0:
        return None
    return 1 + HEADER_BYTES * segments / data_bytes


def missing_totals(
    observation: Observation,
    totals: Iterable[ProcessTotal],
    unobserved: EndName | None = None,
) -> Iterator[MissingMetric]:
    """
    Yield a missing metric for each end and observed process without a total.

    ``unobserved`` is an end on other hosts.
    """
    names = {
        *get_args(EndName),
        *(sample.process for sample in observation.process_samples),
    }
    for name in sorted(names - {total.process for total in totals}):
        reason = ON_OTHER_HOSTS if name == unobserved else TOO_FEW_SAMPLES
        yield MissingMetric(metric=f"processes.{name}.cpu_ns", reason=reason)


def _within(samples: Sequence[Sample], duration_ns: int) -> list[Sample]:
    return [sample for sample in samples if 0 <= sample.since_start_ns <= duration_ns]


def _core_spans(
    observation: Observation, cpus: Set[int], duration_ns: int
) -> Iterator[tuple[CoreSample, CoreSample]]:
    """Yield the first and the last sample of each core, if far enough apart."""
    samples = _within(observation.core_samples, duration_ns)
    for core in cpus:
        readings = [sample for sample in samples if sample.core == core]
        if readings and _is_long(readings):
            yield readings[0], readings[-1]


def _cores_utilization(
    observation: Observation, cpus: Set[int], duration_ns: int
) -> float | None:
    """
    Return the utilization of cores between their first and last sample in the window.

    The result is ``None`` if the samples cover less than ``SPAN_NS_MIN``.
    """
    busy_ns = idle_ns = 0
    for first, last in _core_spans(observation, cpus, duration_ns):
        busy_ns += worked_ns(
            span_ns=last.since_start_ns - first.since_start_ns,
            busy_ns=last.busy_ns - first.busy_ns,
            idle_ns=last.idle_ns - first.idle_ns,
            steal_ns=(last.steal_ns or 0) - (first.steal_ns or 0),
        )
        idle_ns += last.idle_ns - first.idle_ns
    return busy_ns / (busy_ns + idle_ns) if busy_ns + idle_ns else None


def _flow(readings: Sequence[SocketSample]) -> dict[str, float]:
    """Return the shares derived from samples of sockets; empty without samples."""
    if not readings:
        return {}
    sampled = sum(reading.sampled for reading in readings)
    shares = {
        "receive_queue_filled_share": sum(
            reading.receive_queues_filled for reading in readings
        )
        / sampled,
        "send_queue_filled_share": sum(
            reading.send_queues_filled for reading in readings
        )
        / sampled,
        "unsent_share": sum(reading.unsent_bytes > 0 for reading in readings)
        / len(readings),
    }
    if len(readings) >= SAMPLES_MIN and _is_long(readings):
        shares |= _counter_shares(readings[0], readings[-1])
    return shares


def _is_long(readings: Sequence[CoreSample] | Sequence[SocketSample]) -> bool:
    """Whether the time from first to last sample is sufficient for counters."""
    return readings[-1].since_start_ns - readings[0].since_start_ns >= SPAN_NS_MIN


def _counter_shares(first: SocketSample, last: SocketSample) -> dict[str, float]:
    """
    Return the shares derived from the counters of two samples.

    The result is empty if both samples do not cover the same sockets.
    """
    time_ns = (last.since_start_ns - first.since_start_ns) * last.sampled
    segments = last.segments_out - first.segments_out
    window_ns = last.receive_window_limited_ns - first.receive_window_limited_ns
    buffer_ns = last.send_buffer_limited_ns - first.send_buffer_limited_ns
    if first.sampled != last.sampled or min(window_ns, buffer_ns, segments) < 0:
        return {}
    return {
        "receive_window_limited_share": min(1.0, window_ns / time_ns),
        "send_buffer_limited_share": min(1.0, buffer_ns / time_ns),
        "retransmitted_share": (
            (last.retransmits - first.retransmits) / segments if segments else 0.0
        ),
    }
