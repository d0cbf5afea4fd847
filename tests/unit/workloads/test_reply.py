"""Plans of an engine that is the server of clients that reply, and their values."""

from dataclasses import replace

import pytest
from tests.unit.workloads.made_up import evaluated, load_result, setup, values

from autostrada.engine.messages import Backlog, Exchange
from autostrada.errors import ClosedEarly, Miscounted
from autostrada.stats.evidence import Pacing
from autostrada.workloads.reply import Reply
from autostrada.workloads.report import ClientReport, Reports

WORKLOAD = Reply(name="reply", kind="reply", connections=3, in_flight=2, window_s=2)
COUNTED = ClientReport(
    connections=3,
    messages=60,
    payload_bytes=0,
    wrong=0,
    opened_ns=10_000_000_000,
    ready_ns=10_000_000_000,
    ended_ns=13_000_000_000,
    seconds=(),
)


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
