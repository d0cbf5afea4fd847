"""Metrics of one end of a trial, computed from its samples: docs/experiments.md."""

from collections.abc import Iterator, Sequence, Set
from statistics import linear_regression

from autostrada.evidence.ends import available_share, total_from_samples
from autostrada.stats.evidence import EndName
from autostrada.store.record import HostSample, MetricValue, Observation, ProcessSample

THIRDS = 3
"""Number of periods of a feed for which memory is reported separately."""

GROWTH_SAMPLES_MIN = 4
"""Smallest number of samples from which growth is estimated."""

KERNEL_CONNECTIONS_MIN = 10_000
"""Number of connections above which other changes of the kernel's memory, usually a few
MiB, are small beside the memory of the connections, about 8 KiB each at both ends."""


def end_metrics(
    process: EndName,
    observation: Observation,
    duration_ns: int,
    connections: int,
    cpus: Set[int] = frozenset(),
) -> Iterator[MetricValue]:
    """
    Yield the metrics of one end during the window: CPU time, memory and queues.

    ``cpus`` are the cores that the end may use without a limit: its utilization is that
    of the time which the hypervisor did not steal from them. Metrics without samples
    are omitted.
    """
    samples = [
        sample for sample in observation.process_samples if sample.process == process
    ]
    if samples:
        total = total_from_samples(process, observation, duration_ns)
        if total:
            available_ns = duration_ns * available_share(observation, cpus, duration_ns)
            yield _of(process, "cpu_utilization", total.cpu_ns / available_ns)
        yield from _memory(process, samples, duration_ns, connections)
    if samples and process == "server":
        yield from _kernel_memory(samples, observation.host_samples, connections)
    # If only some sockets are sampled, their queues are extrapolated to all.
    queues = [
        (sample.connections / sample.sampled, sample)
        for sample in observation.socket_samples
        if sample.process == process and sample.sampled
    ]
    if queues and process == "server":
        most = max(factor * sample.send_queue_bytes for factor, sample in queues)
        yield _of(process, "send_queue_bytes_max", most)
        most = max(factor * sample.memory_bytes for factor, sample in queues)
        yield _of(process, "socket_memory_bytes_max", most)
    if queues and process == "client":
        most = max(factor * sample.receive_queue_bytes for factor, sample in queues)
        yield _of(process, "receive_queue_bytes_max", most)


def _memory(
    process: EndName,
    samples: Sequence[ProcessSample],
    duration_ns: int,
    connections: int,
) -> Iterator[MetricValue]:
    """Yield the resident size: its maximum, its growth, at the end of each third."""
    most = max(sample.resident_bytes for sample in samples)
    yield _of(process, "memory_bytes_max", most)
    for third in range(1, THIRDS + 1):
        resident = _resident(samples, third * duration_ns // THIRDS)
        yield _of(process, f"memory_bytes_third_{third}", resident)
    within = [sample for sample in samples if 0 <= sample.since_start_ns <= duration_ns]
    if process == "server" and len(within) >= GROWTH_SAMPLES_MIN:
        line = linear_regression(
            [sample.since_start_ns / 1e9 for sample in within],
            [sample.resident_bytes for sample in within],
        )
        yield _of(process, "memory_growth_bytes_per_s", max(0.0, line.slope))
    added = _added_bytes(samples) / connections
    yield _of(process, "memory_bytes_per_connection", added)


def _kernel_memory(
    samples: Sequence[ProcessSample],
    host_samples: Sequence[HostSample],
    connections: int,
) -> Iterator[MetricValue]:
    """
    Yield the memory that each connection adds to the kernel at the server's end.

    It is half of the memory that the connections add to the machine, because each has a
    socket at both ends. Without samples, or with fewer than ``KERNEL_CONNECTIONS_MIN``
    connections, it is omitted.
    """
    known = [
        (sample.since_start_ns, sample.slab_bytes + sample.tcp_memory_bytes)
        for sample in host_samples
        if sample.slab_bytes is not None and sample.tcp_memory_bytes is not None
    ]
    if connections < KERNEL_CONNECTIONS_MIN or not known:
        return
    at_start = [bytes_ for at_ns, bytes_ in known if at_ns <= 0] or [known[0][1]]
    kernel = (at_start[-1] - at_start[0]) / 2 / connections
    yield _of("server", "kernel_memory_bytes_per_connection", kernel)
    total = kernel + _added_bytes(samples) / connections
    yield _of("server", "total_memory_bytes_per_connection", total)


def _added_bytes(samples: Sequence[ProcessSample]) -> int:
    """Return the resident size at the start of the window less that of the start."""
    return _resident(samples, 0) - samples[0].resident_bytes


def _resident(samples: Sequence[ProcessSample], until_ns: int) -> int:
    """Return the resident size of the last sample up to an instant, else the first."""
    before = [sample for sample in samples if sample.since_start_ns <= until_ns]
    return (before or samples[:1])[-1].resident_bytes


def _of(process: EndName, metric: str, value: float) -> MetricValue:
    return MetricValue(
        process=process, metric=f"{process}_{metric}", value=float(value)
    )
