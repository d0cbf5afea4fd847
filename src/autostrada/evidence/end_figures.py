"""Figures of one end of a trial, computed from its samples: docs/experiments.md."""

from collections.abc import Iterator, Sequence

from autostrada.evidence.ends import total_from_samples
from autostrada.stats.evidence import EndName
from autostrada.store.record import Figure, Observation, ProcessSample

THIRDS = 3


def end_figures(
    process: EndName, observation: Observation, duration_ns: int, connections: int
) -> Iterator[Figure]:
    """
    Yield the figures of one end during the window: CPU time, memory and queues.

    Figures without samples are omitted.
    """
    samples = [each for each in observation.process_samples if each.process == process]
    if samples:
        total = total_from_samples(process, observation, duration_ns)
        if total:
            yield _of(process, "cpu_share", total.cpu_ns / duration_ns)
        yield from _memory(process, samples, duration_ns, connections)
    # If only some sockets are sampled, their queues are extrapolated to all.
    queues = [
        (each.connections / each.sampled, each)
        for each in observation.socket_samples
        if each.process == process and each.sampled
    ]
    if queues and process == "server":
        most = max(factor * sample.send_queue_bytes for factor, sample in queues)
        yield _of(process, "send_queue_bytes_max", most)
    if queues and process == "client":
        most = max(factor * sample.receive_queue_bytes for factor, sample in queues)
        yield _of(process, "receive_queue_bytes_max", most)


def _memory(
    process: EndName,
    samples: Sequence[ProcessSample],
    duration_ns: int,
    connections: int,
) -> Iterator[Figure]:
    """Yield resident sizes: the maximum, at the end of each third, per connection."""
    most = max(each.resident_bytes for each in samples)
    yield _of(process, "memory_bytes_max", most)
    for third in range(1, THIRDS + 1):
        resident = _resident(samples, third * duration_ns // THIRDS)
        yield _of(process, f"memory_bytes_third_{third}", resident)
    added = _resident(samples, 0) - samples[0].resident_bytes
    yield _of(process, "memory_bytes_per_connection", added / connections)


def _resident(samples: Sequence[ProcessSample], until_ns: int) -> int:
    """Return the resident size of the last sample up to an instant, else the first."""
    before = [each for each in samples if each.since_start_ns <= until_ns]
    return (before or samples[:1])[-1].resident_bytes


def _of(process: EndName, figure: str, value: float) -> Figure:
    return Figure(process=process, figure=f"{process}_{figure}", value=float(value))
