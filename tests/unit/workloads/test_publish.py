"""Plans of an engine that publishes to a server, and subscribes."""

import pytest
from pydantic import ValidationError

from autostrada.engine.plans import ConnectionLimits
from autostrada.workloads.publish import Publish
from autostrada.workloads.report import Setup

SETUP = Setup(
    protocol="websocket",
    limit_s=30,
    connection_limits=ConnectionLimits(descriptors=20_000, outgoing_ports=28_000),
)


def workload_of(**settings):
    values = {"name": "fan-out", "kind": "publish", "connections": 11, "window_s": 2}
    return Publish(**values | settings).client(SETUP, 9999).plan["workload"]


def test_a_closed_loop_publishes_when_all_have_received():
    plan = workload_of(in_flight=4)
    assert (plan["window"], plan["publishers"]) == (4, 1)
    assert "every_ms" not in plan["feed"]
    assert "slow" not in plan


def test_an_open_loop_publishes_at_an_interval():
    plan = workload_of(every_ms=10)
    assert plan["feed"]["every_ms"] == 10
    assert "window" not in plan


def test_some_subscribers_may_read_nothing():
    assert workload_of(slow_share=0.05)["slow"] == {"share": 0.05}


def test_a_publisher_needs_a_subscriber():
    with pytest.raises(ValidationError, match="none of the connections is a subscr"):
        workload_of(publishers=11)
