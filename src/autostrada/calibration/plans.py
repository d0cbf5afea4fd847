"""What each process is given to weigh a weight: plans as in ``docs/format.md``."""

from autostrada.calibration.fault_cases import NONE, ONE_IN, Kind, Weight
from autostrada.runner.engine import FORMAT

Plan = dict[str, object]


def serve_plan(weight: Weight, *, is_healthy: bool = False) -> Plan:
    """Return the plan of the server: with its fault, or as the control without."""
    plan: Plan = {
        "format": FORMAT,
        "listen": "127.0.0.1:0",
        "workload": {"kind": "push"},
    }
    faults = NONE if is_healthy else weight.faults
    if faults:
        plan["faults"] = dict(faults)
    if weight.feed is not None:
        plan["feed"] = {
            "kind": weight.feed.kind,
            "messages": weight.feed.messages,
            "audience": weight.connections,
        }
        if weight.feed.every_ms is not None:
            plan["feed"] |= {"every_ms": weight.feed.every_ms}  # type: ignore[operator]
    return plan


def load_plan(weight: Weight, url: str) -> Plan:
    """Return the plan of the client, the engine's or its twin."""
    return {
        "format": FORMAT,
        "url": url + ("/feed" if weight.feed else "/echo"),
        "connections": weight.connections,
        "workload": _workload(weight),
    }


def arriving(weight: Weight) -> int:
    """Return how many messages of a feed arrive on each connection."""
    assert weight.feed is not None
    sent = weight.feed.messages
    if weight.kind is Kind.LOSE:
        return sent - sent // ONE_IN
    if weight.kind is Kind.REPEAT:
        return sent + sent // ONE_IN
    return sent


def _workload(weight: Weight) -> Plan:
    if weight.feed is not None:
        feed: Plan = {"kind": weight.feed.kind}
        if weight.feed.every_ms is not None:
            feed["every_ms"] = weight.feed.every_ms
        return {"kind": "receive", "messages": arriving(weight), "feed": feed}
    phases = {"window_s": weight.window_s, "drain_s": weight.drain_s}
    payload = {"text": "hello world", "stamped": True}
    if weight.rate_per_s is None:
        return {"kind": "echo", "payload": payload, "phases": phases}
    return {
        "kind": "echo",
        "schedule": {"kind": "constant", "rate_per_s": weight.rate_per_s},
        "payload": payload,
        "phases": phases,
    }
