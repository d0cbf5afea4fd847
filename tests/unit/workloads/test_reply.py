"""Plans of an engine that serves clients that reply, or publishes; their values."""

from dataclasses import replace

import pytest
from pydantic import ValidationError
from tests.unit.workloads.made_up import evaluated, load_result, received, setup, values

from autostrada.engine.messages import Backlog, Exchange, LoadResult
from autostrada.errors import ClosedEarly, Miscounted
from autostrada.stats.evidence import Pacing
from autostrada.workloads.echo import Echo
from autostrada.workloads.load import connect_metrics
from autostrada.workloads.publish import Publish
from autostrada.workloads.reply import Reply
from autostrada.workloads.report import Reports

WORKLOAD = Reply(name="reply", kind="reply", connections=3, in_flight=2, window_s=2)
COUNTED = received(60, connections=3)


def reported(counted=60, **changes):
    exchange = Exchange.model_construct(
        offered_rate_per_s=None,
        achieved_share=None,
        sent=56,
        overdue=0,
        echoed=56,
        completed=54,
        rate_growth=None,
        backlog=Backlog(at_window_end=2, answered_in_drain=2, unanswered=0),
        response_time_ns=((1_000_000, 54),),
    )
    usual = {"connections": 3, "messages": 56, "ended": "complete"}
    load = load_result(exchange=exchange, **usual | changes)
    client = replace(COUNTED, messages=counted)
    return Reports(
        servers=[], clients=[client, replace(COUNTED, load=load)], start_ns=0
    )


def judged(reports):
    return evaluated(WORKLOAD, reports, "server")


def test_the_engine_waits_for_the_connections_and_the_client_replies():
    server, client = WORKLOAD.server(setup(), 9999), WORKLOAD.client(setup(), 9999)
    assert server.is_load
    assert (server.plan["end"], server.plan["connections"]) == ("server", 3)
    assert server.plan["workload"]["window"] == 2
    url = "ws://127.0.0.1:9999/reply"
    assert server.plan["url"] == client.plan["url"] == url
    assert client.environment == {"VERB": "reply", "URL": url, "CONNECTIONS": "3"}
    assert client.plan["workload"]["kind"] == "answer"
    assert server.environment is None


def test_the_engine_measures_what_the_client_returns():
    measurement = judged(reported())
    assert (measurement.messages, measurement.sender) == (54, "server")
    assert measurement.pacing is Pacing.CLOSED_LOOP
    assert values(measurement.metrics)["achieved_per_s"] == 27


def test_a_client_that_counts_less_than_it_returned_has_failed():
    with pytest.raises(Miscounted, match="counted 55 messages and returned 56"):
        judged(reported(counted=55))


def test_a_client_that_ends_early_is_to_blame():
    with pytest.raises(ClosedEarly) as caught:
        judged(reported(ended="closed"))
    assert caught.value.process == "client"


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


@pytest.mark.parametrize(
    ("kind", "by_clock"), [(Echo, "achieved_per_s"), (Publish, "received_per_s")]
)
def test_a_closed_loop_in_slices_is_ranked_by_cpu_time(kind, by_clock):
    known = {"name": "w", "kind": kind.__name__.lower(), "window_s": 2}
    known["connections"] = 11
    closed, opened = kind(in_flight=4, **known), kind(every_ms=10, **known)
    in_slices, alone = [{"messages_per_cpu_s": 1.0}, {}], [{by_clock: 1.0}]
    assert closed.ranking_metric(in_slices) == "messages_per_cpu_s"
    assert closed.ranking_metric(alone) == by_clock
    assert opened.ranking_metric(in_slices) == by_clock


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
