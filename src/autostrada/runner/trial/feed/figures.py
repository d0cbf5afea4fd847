"""The figures of a feed: docs/experiments.md."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from autostrada.runner.evidence.seen import end_figures
from autostrada.runner.trial.feed.delivery import Delivery
from autostrada.stats.buckets import Buckets, merged
from autostrada.stats.durations import Value, mean_ns, quantile_ns
from autostrada.store.record import Figure, Observation

LATENCY_QUANTILES = {
    "latency_ms_p50": 0.5,
    "latency_ms_p99": 0.99,
    "latency_ms_max": 1.0,
}
CONNECT_QUANTILES = {"connect_ms_p50": 0.5, "connect_ms_p99": 0.99}
OF_EACH_PROCESS = ("client_cpu_share", "client_memory_bytes_third_")
"""Figures of which those of all clients are shared out evenly."""


def feed_figures(delivery: Delivery) -> Iterator[Figure]:
    """Yield what both ends say of the messages."""
    yield from _sent(delivery)
    yield from _received(delivery)
    yield from _latencies(delivery.latencies())
    yield from _steadiness(delivery)


def opening_figures(delivery: Delivery, begun_ns: int) -> Iterator[Figure]:
    """Yield how long it took to open connections, from when clients began."""
    own = [each.opened_ns - begun_ns for each in delivery.delivered if not each.engine]
    if own:
        yield _client("start_to_open_ms", sum(own) / len(own) / 1e6)
    buckets = merged(
        Buckets(each.engine.connect_response_time_ns)
        for each in delivery.delivered
        if each.engine
    )
    if buckets.count:
        for figure, quantile in CONNECT_QUANTILES.items():
            yield _client(figure, buckets.quantile_ns(quantile) / 1e6)
        yield _client("connect_s", (delivery.start_ns - begun_ns) / 1e9)


def seen_figures(delivery: Delivery, observation: Observation) -> Iterator[Figure]:
    """
    Yield what was seen from outside; ``observation`` has each end as one process.

    What connections add to a contestant's client is not known: it opens them as soon as
    it has begun.
    """
    workload, window_ns = delivery.workload, delivery.window_ns
    connections = delivery.connections
    is_held = all(each.engine for each in delivery.delivered)
    yield from end_figures("server", observation, window_ns, connections)
    for figure in end_figures("client", observation, window_ns, connections):
        if figure.figure == "client_memory_bytes_per_connection" and not is_held:
            continue
        is_of_each = figure.figure.startswith(OF_EACH_PROCESS)
        shared_by = workload.processes if is_of_each else 1
        yield replace(figure, value=figure.value / shared_by)


def _sent(delivery: Delivery) -> Iterator[Figure]:
    sent = delivery.sent_messages
    if sent is None:
        return
    per_s = sent / delivery.workload.seconds
    yield _server("sent_messages", sent)
    yield _server("sent_per_s", per_s)
    yield _server("sent_per_client_per_s", per_s / delivery.connections)


def _received(delivery: Delivery) -> Iterator[Figure]:
    received, connections = delivery.received_messages, delivery.connections
    per_s = delivery.received_in_window / delivery.workload.seconds
    yield _client("received_messages", received)
    yield _client("received_per_s", per_s)
    yield _client("received_per_client", received / connections)
    yield _client("received_per_client_per_s", per_s / connections)
    dropped = delivery.dropped_messages
    yield _client("dropped_messages", dropped)
    yield _client("dropped_share", dropped / (delivery.sent_messages or received or 1))
    if delivery.has_numbers:
        yield _client("missing_messages", delivery.counted("missing"))
    yield _client("wrong_messages", delivery.wrong_messages)
    yield _client("disconnected_clients", delivery.disconnected_clients)


def _latencies(latencies: Sequence[Value]) -> Iterator[Figure]:
    if not latencies:
        return
    yield _client("latency_ms_mean", mean_ns(latencies) / 1e6)
    for figure, quantile in LATENCY_QUANTILES.items():
        yield _client(figure, quantile_ns(latencies, quantile) / 1e6)


def _steadiness(delivery: Delivery) -> Iterator[Figure]:
    """Yield how regularly messages came that were due at an interval."""
    told = [
        each.engine.regularity
        for each in delivery.delivered
        if each.engine and each.engine.regularity
    ]
    if not told:
        return
    # What has no numbers shows by its count alone that something is missing.
    backlog = max(delivery.lacking_messages, delivery.counted("missing"))
    due = sum(each.judged for each in told) + backlog
    on_time = sum(each.on_time for each in told)
    yield _client("on_time_share", on_time / due if due else 0.0)
    yield _client("clump_max_messages", max(each.burst_max for each in told))
    yield _client("backlog_messages", backlog)


def _client(figure: str, value: float) -> Figure:
    return Figure(process="client", figure=figure, value=float(value))


def _server(figure: str, value: float) -> Figure:
    return Figure(process="server", figure=figure, value=float(value))
