"""Aggregation of the samples of several processes into one process per end."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from typing import Any, TypeVar

from autostrada.store.record import Observation, ProcessSample, SocketSample

Sample = TypeVar("Sample", ProcessSample, SocketSample)

INSTANTANEOUS = {"resident_bytes", "proportional_bytes", "threads", "files"} | {
    *("connections", "sampled", "unsent_bytes", "memory_bytes"),
    *("send_queue_bytes", "send_queue_bytes_max", "send_queues_filled"),
    *("receive_queue_bytes", "receive_queue_bytes_max", "receive_queues_filled"),
}
"""Instantaneous metrics; all others are counters, which remain after a process ends."""

COMBINED_BY_MAXIMUM = {
    "send_queue_bytes_max",
    "receive_queue_bytes_max",
    "rtt_ns_median",
}
"""Metrics that are combined by their maximum; all others are added."""


REFERENCE_CLIENT = "reference"
"""Name of the engine as a client beside those of a contestant."""


def process_name(end: str, index: int) -> str:
    """Return the name of a process of an end by index: ``client``, ``client 2``."""
    return end if index == 0 else f"{end} {index + 1}"


def aggregate_by_end(observation: Observation) -> Observation:
    """
    Return an observation with one process for each end: ``client`` is all clients.

    The engine's clients beside those of a contestant are a process of their own,
    ``REFERENCE_CLIENT``.

    A process that ended keeps its counters, but has no memory and no sockets, as long
    as other processes of its end are sampled.
    """
    return replace(
        observation,
        process_samples=_aggregate(observation.process_samples),
        socket_samples=_aggregate(observation.socket_samples),
    )


def _aggregate(samples: Iterable[Sample]) -> tuple[Sample, ...]:
    by_instant: dict[int, dict[str, Sample]] = defaultdict(dict)
    for sample in samples:
        by_instant[sample.since_start_ns][sample.process] = sample
    latest: dict[str, Sample] = {}
    added = []
    for instant in sorted(by_instant):
        ends: dict[str, list[Sample]] = defaultdict(list)
        for name, sample in by_instant[instant].items():
            latest[name] = sample
            ends[_end(name)].append(sample)
        for name, last in latest.items():
            if name not in by_instant[instant] and _end(name) in ends:
                ends[_end(name)].append(_after_its_end(last, instant))
        added += [_combine(end, all_of) for end, all_of in ends.items()]
    return tuple(added)


def _end(name: str) -> str:
    return name.partition(" ")[0]


def _after_its_end(last: Sample, instant: int) -> Sample:
    gone: dict[str, Any] = {name: 0 for name in _names(last) if name in INSTANTANEOUS}
    return replace(last, since_start_ns=instant, **gone)


def _combine(end: str, samples: list[Sample]) -> Sample:
    metrics: dict[str, Any] = {
        name: _sum_of(name)([getattr(sample, name) for sample in samples])
        for name in _names(samples[0])
    }
    return replace(samples[0], process=end, **metrics)


def _sum_of(name: str) -> Callable[[list[Any]], int | None]:
    """Return the function that combines a metric; ``None`` if one value is unknown."""
    add: Callable[[list[Any]], int] = max if name in COMBINED_BY_MAXIMUM else sum
    return lambda values: None if None in values else add(values)


def _names(sample: ProcessSample | SocketSample) -> Iterable[str]:
    own = {"process", "since_start_ns"}
    return [field.name for field in fields(sample) if field.name not in own]
