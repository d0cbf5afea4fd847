"""What the two ends of a trial of bots are told: the engine by plans, others not."""

from base64 import b64decode

from autostrada.contestants.contestant import Protocol
from autostrada.experiment.experiment import Experiment
from autostrada.experiment.workload import Bots
from autostrada.machine.ports import ADDRESS
from autostrada.runner.engine import FORMAT
from autostrada.runner.trial.feed.plans import (
    KINDS,
    SCHEMES,
    Environment,
    Plan,
)
from autostrada.runner.trial.room import client_room, threads_for

PATH = "/echo"


def server_plan(
    experiment: Experiment, workload: Bots, protocol: Protocol, port: int
) -> Plan:
    """Return what the engine is told as a server."""
    plan: Plan = {
        "format": FORMAT,
        "listen": f"{ADDRESS}:{port}",
        "protocol": {"kind": KINDS[protocol]},
        "workload": {"kind": "push"},
        "threads": threads_for(workload.connections),
    }
    if experiment.congestion_control is not None:
        plan["congestion_control"] = experiment.congestion_control
    return plan


def server_environment(port: int) -> Environment:
    """Return what a contestant is told as a server: docs/contract.md, 8."""
    return {"HOST": ADDRESS, "PORT": str(port)}


def client_plan(
    experiment: Experiment, workload: Bots, protocol: Protocol, port: int
) -> Plan:
    """Return what the engine is told as a client."""
    spoken = {"kind": KINDS[protocol]}
    if protocol == "socketio":
        spoken |= {"transport": workload.transport, "namespace": PATH}
    is_polled = _is_polled(workload, protocol)
    path = "/" if protocol == "socketio" else PATH
    plan: Plan = {
        "format": FORMAT,
        "url": f"{SCHEMES[protocol][workload.tls]}://{ADDRESS}:{port}{path}",
        "protocol": spoken,
        "connections": workload.connections,
        **client_room(workload.connections * (2 if is_polled else 1)),
        "workload": {
            "kind": "echo",
            "schedule": {
                "kind": "constant",
                "per": "connection",
                "rate_per_s": 1000 / workload.every_ms,
            },
            "payload": workload.payload.model_dump(exclude_none=True),
            "phases": {
                "opening_s": experiment.limit_s,
                "warm_up_s": workload.warm_up_s,
                "window_s": workload.window_s,
                "drain_s": workload.drain_s,
            },
        },
    }
    if experiment.congestion_control is not None:
        plan["tcp"] = {"congestion_control": experiment.congestion_control}
    return plan


def payload_bytes(workload: Bots) -> int:
    """Return how long one event is."""
    payload = workload.payload
    if payload.base64 is not None:
        return len(b64decode(payload.base64))
    return len((payload.text or "").encode())


def _is_polled(workload: Bots, protocol: Protocol) -> bool:
    return protocol == "socketio" and workload.transport == "polling"
