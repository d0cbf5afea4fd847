"""What the samples of a feed say about both ends: evidence, totals and metrics."""

from collections.abc import Iterator, Mapping, Set
from dataclasses import replace

from autostrada.evidence.aggregation import REFERENCE_CLIENT, process_name
from autostrada.evidence.end_metrics import end_metrics
from autostrada.evidence.ends import (
    TrialEnd,
    end_evidence,
    shared_cores_limit,
    total_from_samples,
)
from autostrada.stats.evidence import EndName
from autostrada.store.record import (
    EndEvidence,
    MetricValue,
    Observation,
    ProcessTotal,
)
from autostrada.workloads.delivery import Delivery
from autostrada.workloads.report import WindowObservation

OF_EACH_PROCESS = ("client_cpu_utilization", "client_memory_bytes_third_")
"""Prefixes of metrics that are divided by the number of client processes."""


def server_end(observed: WindowObservation, observation: Observation) -> EndEvidence:
    """Return the evidence on the server."""
    placement = observed.ends["server"]
    end = TrialEnd(
        process="server",
        is_engine=placement.is_engine,
        cpus=placement.cpus,
        cpu_share_max=placement.cpu_share_max,
    )
    return _evidence(end, observed, observation)


def client_end(
    delivery: Delivery, observed: WindowObservation, observation: Observation
) -> tuple[EndEvidence, str]:
    """
    Return the evidence on the measured clients, and how the engine limited them.

    The engine reports how busy its clients were. Those beside a contestant's are not
    part of its evidence, even if they share its cores.
    """
    placement, window_ns = observed.ends["client"], observed.window.duration_ns
    loads = [report.load for report in delivery.measured_clients if report.load]
    utilizations = [max(load.utilizations, default=0.0) for load in loads]
    others = None
    if placement.cpus & observed.reference_cpus:
        others = total_from_samples(REFERENCE_CLIENT, observation, window_ns)
    end = TrialEnd(
        process="client",
        is_engine=placement.is_engine,
        cpus=placement.cpus,
        utilization=min(1.0, sum(utilizations)) if utilizations else None,
        others_cpu_ns=others.cpu_ns if others else 0,
    )
    evidence = _evidence(end, observed, observation)
    return evidence, shared_cores_limit(end, evidence, window_ns)


def _evidence(
    end: TrialEnd, observed: WindowObservation, observation: Observation
) -> EndEvidence:
    window_ns = observed.window.duration_ns
    total = total_from_samples(end.process, observation, window_ns)
    return end_evidence(end, total, observation, window_ns)


def totals(
    delivery: Delivery, observed: WindowObservation, observation: Observation
) -> Iterator[ProcessTotal]:
    """Yield the totals of both ends and of each of their further processes."""
    counts = {
        "client": len(delivery.measured_clients),
        REFERENCE_CLIENT: len(delivery.references),
        "server": len(delivery.servers),
    }
    for end, count in counts.items():
        names = [process_name(end, index) for index in range(1, count)]
        found = [
            total_from_samples(end, observation, delivery.window_ns),
            *(
                total_from_samples(name, observed.observation, delivery.window_ns)
                for name in names
            ),
        ]
        yield from (total for total in found if total)


def observation_metrics(
    delivery: Delivery,
    observation: Observation,
    cpus: Mapping[EndName, Set[int]],
) -> Iterator[MetricValue]:
    """
    Yield the metrics of the observation, which has one process for each end.

    ``cpus`` are the cores that each end may use without a limit.
    The memory that connections add to a contestant's client is unknown, because it
    opens them as soon as it starts.
    """
    window_ns, clients = delivery.window_ns, delivery.measured_clients
    is_held = all(client.load for client in clients)
    yield from end_metrics(
        "server", observation, window_ns, delivery.connections, cpus["server"]
    )
    references = total_from_samples(REFERENCE_CLIENT, observation, window_ns)
    if references:
        share = references.cpu_ns / window_ns
        yield MetricValue(
            process=REFERENCE_CLIENT, metric="reference_cpu_utilization", value=share
        )
    connections = len(clients) * delivery.connections_each
    for metric in end_metrics(
        "client", observation, window_ns, connections, cpus["client"]
    ):
        if metric.metric == "client_memory_bytes_per_connection" and not is_held:
            continue
        is_of_each = metric.metric.startswith(OF_EACH_PROCESS)
        shared_by = len(clients) if is_of_each else 1
        yield replace(metric, value=metric.value / shared_by)
