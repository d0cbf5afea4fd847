"""Builds the plans (``docs/format.md``) of the processes that run a fault case."""

from autostrada.calibration.fault_cases import (
    NONE,
    ONE_IN,
    FaultCase,
    Kind,
    PacedPush,
)
from autostrada.engine import plans
from autostrada.engine.plans import Plan, constant
from autostrada.evidence.rate import ping_positions


def serve_plan(case: FaultCase, *, is_healthy: bool = False) -> Plan:
    """Return the plan of the server; ``is_healthy`` omits the fault, for a control."""
    faults = NONE if is_healthy else case.faults
    feed: Plan | None = None
    if case.feed is not None:
        feed = {
            "kind": case.feed.kind,
            "messages": case.feed.messages,
            "subscribers": case.connections,
        }
        if case.feed.every_ms is not None:
            feed["every_ms"] = case.feed.every_ms
    return plans.serve_plan(feed=feed, faults=dict(faults) if faults else None)


def push_plan(push: PacedPush, address: str) -> Plan:
    """Return the plan of a server that pushes to the client of known speed."""
    positions = ping_positions(push.first_messages, server_closes=True)
    return plans.serve_plan(
        listen=f"{address}:0",
        push={"seconds": push.seconds, "pings": {"after": positions}},
        connections=1,
    )


def load_plan(case: FaultCase, url: str) -> Plan:
    """Return the plan of the client, which is the engine or the independent peer."""
    return plans.load_plan(
        url=url + ("/feed" if case.feed else "/echo"),
        workload=_workload(case),
        connections=case.connections,
    )


def arriving(case: FaultCase) -> int:
    """Return the number of messages of a feed that arrive on each connection."""
    assert case.feed is not None
    sent = case.feed.messages
    if case.kind is Kind.LOSE:
        return sent - sent // ONE_IN
    if case.kind is Kind.REPEAT:
        return sent + sent // ONE_IN
    return sent


def _workload(case: FaultCase) -> Plan:
    if case.feed is not None:
        feed: Plan = {"kind": case.feed.kind}
        if case.feed.every_ms is not None:
            feed["every_ms"] = case.feed.every_ms
        return {"kind": "receive", "messages": arriving(case), "feed": feed}
    phases = {"window_s": case.window_s, "drain_s": case.drain_s}
    payload = {"text": "hello world", "stamped": True}
    if case.rate_per_s is None:
        return {"kind": "echo", "payload": payload, "phases": phases}
    return {
        "kind": "echo",
        "schedule": constant(case.rate_per_s),
        "payload": payload,
        "phases": phases,
    }
