"""Made-up reports of both ends, and the settings of a trial."""

from autostrada.engine.messages import LoadResult, Regularity
from autostrada.engine.plans import ConnectionLimits
from autostrada.store.record import Observation
from autostrada.workloads.delivery import Delivery
from autostrada.workloads.feed import Feed
from autostrada.workloads.report import (
    ClientReport,
    EndPlacement,
    SecondReport,
    SequenceCounts,
    ServerReport,
    Setup,
    WindowObservation,
)

S = 1_000_000_000
OPENED_NS = 50 * S
NUMBERS = SequenceCounts(
    in_order=20, gaps=0, missing=0, duplicates=0, reordered=0, unexpected=0
)

SERVED = {
    "event": "result",
    "messages": 2,
    "bytes": 22,
    "acknowledged_bytes": 30,
    "wire_bytes": 30,
    "write_calls": 1,
    "first_sent_ns": 1,
    "last_sent_ns": 2,
    "closed_ns": 3,
    "busy_ns": 0,
    "blocked_ns": 0,
    "close_code": 1000,
    "ended": "complete",
    "pings": 0,
    "pings_unanswered": 0,
    "marks": (),
    "round_trip_ns": None,
    "congestion_control": "reno",
    "processes": {},
}
"""The engine's result as a server."""


def setup(protocol="websocket", **more):
    limits = ConnectionLimits(descriptors=20_000, outgoing_ports=28_000)
    usual = {"limit_s": 20.0, "congestion_control": "reno"}
    return Setup(protocol=protocol, connection_limits=limits, **usual | more)


def ends(*engines):
    """Return the places of both ends, of which these are the engine."""
    return {
        name: EndPlacement(is_engine=name in engines, cpus=frozenset({core}))
        for core, name in enumerate(("server", "client"))
    }


def evaluated(workload, reports, *engines, **observed):
    """Return the measurement of reports; ``engines`` are the ends with the engine."""
    usual = {"observation": Observation(), "window": workload.window(reports)}
    return workload.evaluate(
        reports, WindowObservation(ends=ends(*engines), **usual | observed)
    )


def values(metrics):
    """Return the values of metrics by name."""
    return {each.metric: each.value for each in metrics}


def feed(**more):
    settings = {"name": "feed", "kind": "feed", "feed": "sequence", "seconds": 2.0}
    return Feed(**settings | more)


def sent_by_server(messages, **more):
    return ServerReport(messages=messages, payload_bytes=messages, seconds=(), **more)


def second(number, messages, closed=0):
    return SecondReport(
        event="second", second=number, messages=messages, bytes=messages, closed=closed
    )


def received(messages, **more):
    usual = {
        "connections": 1,
        "messages": messages,
        "payload_bytes": messages,
        "wrong": 0,
        "opened_ns": OPENED_NS,
        "ready_ns": OPENED_NS,
        "ended_ns": OPENED_NS + 2 * S,
        "seconds": (),
        "sequence": NUMBERS,
    }
    return ClientReport(**usual | more)


def load_result(window_s=2.0, **more):
    """Return the engine's result as a client, with only the used keys."""
    usual = {
        "event": "result",
        "connections": 1,
        "messages": 20,
        "bytes": 20,
        "opened_ns": OPENED_NS,
        "received_ns": OPENED_NS + 2 * S,
        "wrong": 0,
        "failures": (),
        "exchange": None,
        "sequence": None,
        "delivery_time_ns": None,
        "connect_response_time_ns": (),
        "regularity": None,
        "utilizations": (0.1,),
        "window_start_ns": OPENED_NS,
        "window_ns": round(window_s * S),
        "ended": "closed",
        "generator_limited": None,
    }
    return LoadResult.model_construct(**usual | more)


def regularity(**metrics):
    return Regularity.model_construct(**metrics)


def workload_of(*clients, **more):
    """Return the workload of a delivery to these clients."""
    more = {name: value for name, value in more.items() if name != "sent"}
    return feed(processes=len(clients), **more)


def delivery(*clients, sent=20, pace="paced", **workload):
    servers = [sent] if isinstance(sent, int) else sent
    planned = workload_of(*clients, **workload)
    return Delivery(
        connections_each=planned.connections,
        duration_s=planned.seconds,
        every_ms=planned.every_ms,
        servers=[sent_by_server(each, pace=pace) for each in servers],
        clients=clients,
    )
