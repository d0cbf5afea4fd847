"""Configurations of both ends of a feed."""

import json

import pytest
from tests.unit.workloads.made_up import setup

from autostrada.workloads.feed import Feed, decimal

PORT = 8008


def planned(feed, **settings):
    return Feed(name="feed", kind="feed", feed=feed, seconds=0.5, **settings)


def server(workload, protocol="websocket"):
    return workload.server(setup(protocol, limit_s=10), PORT)


def client(workload, protocol="websocket"):
    return workload.client(setup(protocol, limit_s=10), PORT)


def test_the_engine_serves_the_same_feeds_as_a_contestant():
    workload = planned(
        "stocks", encoding="binary", stocks=10, processes=4, workers=2, every_ms=2.5
    )
    plan = server(workload, "framed-tcp").plan
    environment = server(workload).environment
    assert plan["listen"] == "127.0.0.1:8008"
    assert plan["connections"] == plan["feed"]["subscribers"] == 2
    assert plan["congestion_control"] == "reno"
    assert plan["protocol"] == {"kind": "framed-tcp"}
    assert plan["feed"] == {
        "kind": environment["FEED"],
        "encoding": environment["ENCODING"],
        "stocks": int(environment["STOCKS"]),
        "subscribers": int(environment["SUBSCRIBERS"]),
        "every_ms": float(environment["EVERY_MS"]),
        "seconds": float(environment["SECONDS"]),
    }


def test_a_series_is_configured_at_the_server_and_at_clients_that_decode():
    series = planned("stocks", bars=30)
    assert server(series).environment["BARS"] == "30"
    assert not {"BARS", "DECODE", "SECONDS"} & {*client(series).environment}
    environment = client(planned("stocks", bars=30, decode="whole")).environment
    assert (environment["BARS"], environment["DECODE"]) == ("30", "whole")
    single = client(planned("stocks", decode="whole")).environment
    assert "BARS" not in single


@pytest.mark.parametrize("setting", [{"bars": 30}, {"decode": "whole"}])
def test_only_stocks_are_series_or_decoded(setting):
    with pytest.raises(ValueError, match="only the feed stocks has them"):
        planned("clock", **setting)


def test_clients_end_themselves_after_the_drain():
    short = client(planned("clock", drain_s=1.0))
    assert short.environment["SECONDS"] == "1.5"
    assert short.plan["workload"]["phases"]["window_s"] == 1.5


def test_without_stocks_no_file_is_configured():
    environment = server(planned("clock")).environment
    assert not {"STOCKS", "EVERY_MS"} & {*environment}


@pytest.mark.parametrize(
    ("protocol", "url"),
    [
        ("websocket", "ws://127.0.0.1:8008/feed"),
        ("socketio", "http://127.0.0.1:8008/"),
        ("socketio2", "http://127.0.0.1:8008/"),
        ("framed-tcp", "tcp://127.0.0.1:8008/feed"),
    ],
)
def test_the_engine_receives_until_the_server_closes(protocol, url):
    plan = client(planned("sequence", connections=3), protocol).plan
    assert (plan["url"], plan["connections"]) == (url, 3)
    assert plan["tcp"] == {"congestion_control": "reno"}
    assert "messages" not in plan["workload"]
    assert plan["workload"]["phases"]["window_s"] == 5.5
    json.dumps(plan)


def test_socket_io_2_uses_engine_io_3():
    plan = client(planned("clock"), "socketio2").plan
    assert plan["protocol"] == {
        "kind": "socket-io",
        "engine_io_version": 3,
        "namespace": "/feed",
    }
    plan = client(planned("clock"), "socketio").plan
    assert "engine_io_version" not in plan["protocol"]


def test_each_client_opens_a_bounded_number_of_connections_at_once():
    plan = client(planned("clock", processes=4)).plan
    assert (plan["connect_pending_max"], "connect_rate_per_s" in plan) == (50, False)
    plan = client(planned("clock", processes=4, connect_pending_max=7)).plan
    assert plan["connect_pending_max"] == 7


def test_all_clients_together_open_at_the_planned_rate():
    plan = client(planned("hello", processes=4, connect_rate_per_s=100.0)).plan
    assert plan["connect_rate_per_s"] == 25


def test_a_contestant_is_configured_alike_in_every_protocol():
    environment = client(planned("stocks", connections=3), "socketio").environment
    assert environment["URL"] == "ws://127.0.0.1:8008/feed"
    assert environment["CONNECTIONS"] == "3"
    assert "MESSAGES" not in environment


@pytest.mark.parametrize(
    ("value", "text"),
    [(20.0, "20"), (0.5, "0.5"), (2000.0, "2000"), (1e-6, "0.000001")],
)
def test_numbers_have_the_format_of_the_contract(value, text):
    assert decimal(value) == text


def test_many_connections_use_several_addresses():
    plan = client(planned("clock", connections=5000)).plan
    assert "source_addresses" not in plan
    plan = client(planned("clock", connections=5000, processes=4)).plan
    assert len(plan["source_addresses"]) > 1
