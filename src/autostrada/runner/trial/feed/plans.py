"""What both ends of a feed are told: docs/contract.md, 3, 7 to 10; docs/format.md."""

from autostrada.contestants.catalog import find_catalog
from autostrada.contestants.contestant import Protocol
from autostrada.experiment.experiment import Experiment
from autostrada.experiment.workload import Feed
from autostrada.machine.ports import ADDRESS
from autostrada.runner.engine import FORMAT
from autostrada.runner.trial.room import client_room

SCHEMES: dict[Protocol, tuple[str, str]] = {
    "websocket": ("ws", "wss"),
    "socketio": ("http", "https"),
    "framed-tcp": ("tcp", "tls"),
}
"""Of what the engine calls a protocol's addresses: plain, and with TLS."""

KINDS: dict[Protocol, str] = {
    "websocket": "websocket",
    "socketio": "socket-io",
    "framed-tcp": "framed-tcp",
}
"""What the engine calls each protocol."""

PATH = "/feed"
Environment = dict[str, str]
Plan = dict[str, object]


def connections_of_worker(workload: Feed) -> int:
    """Return how many connections come to each process of the server."""
    return workload.processes // workload.workers * workload.connections


def server_plan(
    experiment: Experiment, workload: Feed, protocol: Protocol, port: int
) -> Plan:
    """Return what the engine is told as a server."""
    audience = connections_of_worker(workload)
    feed: Plan = {
        "kind": workload.feed,
        "encoding": workload.encoding,
        "audience": audience,
        "seconds": workload.seconds,
    }
    if workload.feed == "stocks":
        feed["stocks"] = workload.stocks
    if workload.every_ms is not None:
        feed["every_ms"] = workload.every_ms
    plan: Plan = {
        "format": FORMAT,
        "listen": f"{ADDRESS}:{port}",
        "protocol": {"kind": KINDS[protocol]},
        "workload": {"kind": "push"},
        "feed": feed,
        # It ends when all of its audience has left.
        "connections": audience,
    }
    if experiment.congestion_control is not None:
        plan["congestion_control"] = experiment.congestion_control
    return plan


def server_environment(workload: Feed, port: int) -> Environment:
    """Return what a contestant is told as a server."""
    environment = {
        "HOST": ADDRESS,
        "PORT": str(port),
        "FEED": workload.feed,
        "ENCODING": workload.encoding,
        "AUDIENCE": str(connections_of_worker(workload)),
        "SECONDS": decimal(workload.seconds),
    }
    if workload.feed == "stocks":
        environment["STOCKS"] = str(workload.stocks)
        environment["STOCKS_FILE"] = str(find_catalog().stocks_file)
    if workload.every_ms is not None:
        environment["EVERY_MS"] = decimal(workload.every_ms)
    return environment


def client_plan(
    experiment: Experiment, workload: Feed, protocol: Protocol, port: int
) -> Plan:
    """Return what the engine is told as a client: it receives to the end."""
    scheme = SCHEMES[protocol][workload.tls]
    spoken: Plan = {"kind": KINDS[protocol]}
    if protocol == "socketio":
        spoken["namespace"] = PATH
    feed: Plan = {"kind": workload.feed, "encoding": workload.encoding}
    if workload.every_ms is not None:
        feed["every_ms"] = workload.every_ms
    limit_s = experiment.limit_s
    plan: Plan = {
        "format": FORMAT,
        "url": f"{scheme}://{ADDRESS}:{port}{'/' if protocol == 'socketio' else PATH}",
        "protocol": spoken,
        "connections": workload.connections,
        **client_room(connections_of_worker(workload)),
        "workload": {
            "kind": "receive",
            "feed": feed,
            "phases": {
                "opening_s": limit_s,
                "window_s": workload.seconds + limit_s / 2,
                "drain_s": 0,
            },
        },
    }
    if workload.connect_rate_per_s is not None:
        plan["connect_rate_per_s"] = workload.connect_rate_per_s / workload.processes
    if experiment.congestion_control is not None:
        plan["tcp"] = {"congestion_control": experiment.congestion_control}
    return plan


def client_environment(workload: Feed, port: int) -> Environment:
    """Return what a contestant is told as a client."""
    scheme = SCHEMES["websocket"][workload.tls]
    return {
        "WORKLOAD": "receive",
        "URL": f"{scheme}://{ADDRESS}:{port}{PATH}",
        "CONNECTIONS": str(workload.connections),
        "FEED": workload.feed,
        "ENCODING": workload.encoding,
        "LINES": "json",
        "NO_PROXY": "*",
        "no_proxy": "*",
    }


def decimal(value: float) -> str:
    """Write a number as the contract has it: digits, without an exponent."""
    return f"{value:.6f}".rstrip("0").rstrip(".")
