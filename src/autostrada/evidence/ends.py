"""One end of a trial, from samples and totals."""

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import TypeVar, get_args

from autostrada.stats.evidence import EndName, worked_ns
from autostrada.store.record import (
    CoreSample,
    EndEvidence,
    MissingFigure,
    Observation,
    ProcessSample,
    ProcessTotal,
    SocketSample,
)

Sample = TypeVar("Sample", CoreSample, SocketSample, ProcessSample)

SAMPLES_MIN = 2
"""A counter that was read once says nothing of the window."""

NOT_SEEN_TWICE = "it was not looked at twice in the measured window"

SPAN_NS_MIN = 90_000_000
"""The kernel counts time of cores and sockets in ticks of up to 10 ms: in a shorter
span, what they have counted says little."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """One end's part in a trial: who it is, and which cores it may use."""

    process: EndName
    is_engine: bool
    cpus: Set[int]
    busy_share: float | None = None
    """Of the time, as it reports; the engine's."""


def end_evidence(
    part: Part, total: ProcessTotal | None, observation: Observation, duration_ns: int
) -> EndEvidence:
    """
    Say what is known of one end over the window that begins with the first byte.

    A contestant is as busy as its cores are: what the kernel does for its sockets is
    not always counted as its own. Where nobody looked at the cores it is as busy as its
    CPU time says; where neither is known, nobody knows how busy it was.
    """
    cpu_cores = total.cpu_ns / duration_ns if total else None
    busy_share = part.busy_share
    if busy_share is None:
        busy_share = _contestant_busy_share(part, cpu_cores, observation, duration_ns)
    readings = [
        each
        for each in _within(observation.socket_samples, duration_ns)
        if each.process == part.process and each.sampled
    ]
    return EndEvidence(
        process=part.process,
        is_engine=part.is_engine,
        cpu_cores=cpu_cores,
        busy_share=busy_share,
        **_flow(readings),
    )


def _contestant_busy_share(
    part: Part, cpu_cores: float | None, observation: Observation, duration_ns: int
) -> float | None:
    own_share = None
    if cpu_cores is not None:
        own_share = min(1.0, cpu_cores / max(1, len(part.cpus)))
    cores_share = _cores_busy_share(observation, part.cpus, duration_ns)
    known = [each for each in (own_share, cores_share) if each is not None]
    return max(known, default=None)


def total_seen(
    process: str, observation: Observation, duration_ns: int
) -> ProcessTotal | None:
    """
    Return what one process used in the window, from its samples.

    What it used between the first and the last of them stands for all of the window;
    where nobody looked twice, it is not known: ``missing_totals``.
    """
    readings = [
        each
        for each in _within(observation.process_samples, duration_ns)
        if each.process == process
    ]
    if len(readings) < SAMPLES_MIN:
        return None
    first, last = readings[0], readings[-1]
    seen_ns = last.since_start_ns - first.since_start_ns
    return ProcessTotal(
        process=process,
        cpu_ns=(last.cpu_ns - first.cpu_ns) * duration_ns // seen_ns,
        resident_bytes=last.resident_bytes,
        peak_resident_bytes=last.peak_resident_bytes,
    )


def missing_totals(
    observation: Observation, totals: Iterable[ProcessTotal]
) -> Iterator[MissingFigure]:
    """Yield of which ends, and of which processes seen, there is no total, and why."""
    names = {
        *get_args(EndName),
        *(each.process for each in observation.process_samples),
    }
    for name in sorted(names - {each.process for each in totals}):
        yield MissingFigure(figure=f"processes.{name}.cpu_ns", reason=NOT_SEEN_TWICE)


def _within(samples: Sequence[Sample], duration_ns: int) -> list[Sample]:
    return [each for each in samples if 0 <= each.since_start_ns <= duration_ns]


def _cores_busy_share(
    observation: Observation, cpus: Set[int], duration_ns: int
) -> float | None:
    """
    Return how busy cores were from their first to their last sample in the window.

    Where nobody looked twice, it is not known.
    """
    samples = _within(observation.core_samples, duration_ns)
    busy_ns = idle_ns = 0
    for core in cpus:
        readings = [each for each in samples if each.core == core]
        if readings and _is_long(readings):
            first, last = readings[0], readings[-1]
            busy_ns += worked_ns(
                span_ns=last.since_start_ns - first.since_start_ns,
                busy_ns=last.busy_ns - first.busy_ns,
                idle_ns=last.idle_ns - first.idle_ns,
                steal_ns=(last.steal_ns or 0) - (first.steal_ns or 0),
            )
            idle_ns += last.idle_ns - first.idle_ns
    return busy_ns / (busy_ns + idle_ns) if busy_ns + idle_ns else None


def _flow(readings: Sequence[SocketSample]) -> dict[str, float]:
    """Return the shares that sockets tell; none where nobody looked."""
    if not readings:
        return {}
    sampled = sum(each.sampled for each in readings)
    shares = {
        "receive_queue_filled_share": sum(
            each.receive_queues_filled for each in readings
        )
        / sampled,
        "send_queue_filled_share": sum(each.send_queues_filled for each in readings)
        / sampled,
        "unsent_share": sum(each.unsent_bytes > 0 for each in readings) / len(readings),
    }
    if len(readings) >= SAMPLES_MIN and _is_long(readings):
        shares |= _counted(readings[0], readings[-1])
    return shares


def _is_long(readings: Sequence[CoreSample] | Sequence[SocketSample]) -> bool:
    """Whether from the first sample to the last it is long enough for counters."""
    return readings[-1].since_start_ns - readings[0].since_start_ns >= SPAN_NS_MIN


def _counted(first: SocketSample, last: SocketSample) -> dict[str, float]:
    """Return the shares that counters tell, between two samples of the same sockets."""
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
