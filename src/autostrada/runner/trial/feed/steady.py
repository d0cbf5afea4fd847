"""Whether a feed at an interval was held steadily, as a figure: docs/experiments.md."""

from collections.abc import Iterator

from autostrada.runner.trial.feed.delivery import Delivery
from autostrada.stats.steadiness import Hold, Memory, unsteadiness
from autostrada.store.record import Figure, Observation

IS_STEADY = "is_steady"
"""1 where it was, 0 where not."""


def steady_figures(hold: Hold | None) -> Iterator[Figure]:
    """Yield whether connections were held steadily, where that can be told."""
    if hold is not None:
        value = float(not unsteadiness(hold))
        yield Figure(process="server", figure=IS_STEADY, value=value)


def hold_of(delivery: Delivery, observation: Observation) -> Hold | None:
    """
    Return what steadiness is told by; ``None`` where it cannot be told.

    It is told of messages that have an instant. ``observation`` has each end as one
    process.
    """
    workload, latencies = delivery.workload, delivery.latencies()
    told = [
        each.engine.regularity
        for each in delivery.delivered
        if each.engine and each.engine.regularity
    ]
    if workload.every_ms is None or not latencies or not told:
        return None
    return Hold(
        every_ms=workload.every_ms,
        latency_ms_max=latencies[-1][0] / 1e6,
        delivered_messages=sum(count for _, count in latencies),
        late_messages=sum(
            count
            for latency_ns, count in latencies
            if latency_ns > workload.every_ms * 1e6
        ),
        dropped_messages=delivery.dropped_messages,
        backlog_messages=delivery.lacking_messages,
        clump_max_messages=max(each.burst_max for each in told),
        disconnected_clients=delivery.disconnected_clients,
        memory=[
            Memory(at_ns=look.since_start_ns, resident_bytes=look.resident_bytes)
            for look in observation.process_samples
            if look.process == "server"
            and 0 <= look.since_start_ns <= delivery.window_ns
        ],
    )
