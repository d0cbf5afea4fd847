"""Plans of an engine that publishes to a server, and subscribes."""

import pytest
from pydantic import ValidationError
from tests.unit.workloads.made_up import setup, values

from autostrada.engine.messages import LoadResult
from autostrada.workloads.driven import connect_metrics
from autostrada.workloads.publish import Publish


def workload_of(**settings):
    usual = {"name": "fan-out", "kind": "publish", "connections": 11, "window_s": 2}
    return Publish(**usual | settings).client(setup(), 9999).plan["workload"]


def test_a_closed_loop_publishes_when_all_have_received():
    plan = workload_of(in_flight=4)
    assert (plan["window"], plan["publishers"]) == (4, 1)
    assert "every_ms" not in plan["feed"]
    assert "slow" not in plan


def test_an_open_loop_publishes_at_an_interval():
    plan = workload_of(every_ms=10)
    assert plan["feed"]["every_ms"] == 10
    assert "window" not in plan


def test_a_closed_loop_in_slices_is_ranked_by_cpu_time():
    known = {"name": "fan-out", "kind": "publish", "connections": 11, "window_s": 2}
    closed, opened = Publish(in_flight=4, **known), Publish(every_ms=10, **known)
    in_slices, alone = [{"messages_per_cpu_s": 1.0}, {}], [{"received_per_s": 1.0}]
    assert closed.ranking_metric(in_slices) == "messages_per_cpu_s"
    assert closed.ranking_metric(alone) == "received_per_s"
    assert opened.ranking_metric(in_slices) == "received_per_s"


def test_some_subscribers_may_read_nothing():
    slow = {"share": 0.05, "receive_buffer_bytes": 4096}
    assert workload_of(slow_share=0.05)["slow"] == slow


def test_a_publisher_needs_a_subscriber():
    with pytest.raises(ValidationError, match="none of the connections is a subscr"):
        workload_of(publishers=11)


@pytest.mark.parametrize(("count", "rate_per_s"), [(999, 0), (1000, 500)])
def test_only_many_connections_have_a_rate(count, rate_per_s):
    load = LoadResult.model_construct(
        connect_response_time_ns=((2_000_000_000, count),)
    )
    metrics = values(connect_metrics(load))
    assert metrics["connect_s"] == pytest.approx(2, rel=0.01)
    assert metrics.get("opened_per_s", 0) == pytest.approx(rate_per_s, rel=0.01)
