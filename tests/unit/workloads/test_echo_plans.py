"""Configurations of both ends of an open loop, in each protocol."""

import pytest

from autostrada.engine.plans import ConnectionLimits
from autostrada.workloads.echo import Echo
from autostrada.workloads.report import Setup

PORT = 9999
CONNECTION_LIMITS = ConnectionLimits(descriptors=20_000, outgoing_ports=28_000)


def setup(protocol):
    return Setup(
        protocol=protocol,
        limit_s=30,
        connection_limits=CONNECTION_LIMITS,
        congestion_control="reno",
    )


def echo(**settings):
    values = {"name": "echo", "kind": "echo", "window_s": 2.5, "every_ms": 250}
    return Echo(**values | settings)


@pytest.mark.parametrize(
    ("protocol", "kind", "url"),
    [
        ("websocket", "websocket", "ws://127.0.0.1:9999/echo"),
        ("socketio", "socket-io", "http://127.0.0.1:9999/"),
        ("framed-tcp", "framed-tcp", "tcp://127.0.0.1:9999/echo"),
    ],
)
def test_the_engine_speaks_each_protocol(protocol, kind, url):
    plan = echo().client(setup(protocol), PORT).plan
    assert plan["protocol"]["kind"] == kind
    assert plan["url"] == url
    assert plan["tcp"] == {"congestion_control": "reno"}


@pytest.mark.parametrize("protocol", ["websocket", "framed-tcp"])
def test_the_engine_serves_websocket_and_framed_tcp(protocol):
    served = echo().server(setup(protocol), PORT).plan
    assert served["protocol"] == {"kind": protocol}
    assert served["congestion_control"] == "reno"
    assert served["listen"] == "127.0.0.1:9999"


def test_connections_send_at_their_own_rate():
    plan = echo(connections=7).client(setup("websocket"), PORT).plan
    assert plan["connections"] == 7
    schedule = plan["workload"]["schedule"]
    assert schedule == {"kind": "constant", "per": "connection", "rate_per_s": 4}
    assert plan["workload"]["phases"] == {
        "opening_s": 30,
        "warm_up_s": 1,
        "window_s": 2.5,
        "drain_s": 5,
    }


def test_socket_io_has_a_namespace_and_a_transport():
    polled = echo(transport="polling")
    plan = polled.client(setup("socketio"), PORT).plan
    assert plan["protocol"] == {
        "kind": "socket-io",
        "transport": "polling",
        "namespace": "/echo",
    }


def test_polling_takes_two_sockets():
    many = echo(transport="polling", connections=40_000)
    polled = many.client(setup("socketio"), PORT).plan
    plain = many.client(setup("websocket"), PORT).plan
    assert polled["threads"] >= plain["threads"]
    assert len(polled["source_addresses"]) > len(plain["source_addresses"])


@pytest.mark.parametrize(
    ("payload", "size"),
    [({"text": "grüezi"}, 7), ({"base64": "AAECAw=="}, 4)],
)
def test_a_message_has_the_planned_size(payload, size):
    workload = echo(payload=payload)
    assert workload.payload.size == size
    plan = workload.client(setup("framed-tcp"), PORT).plan
    assert plan["workload"]["payload"] == payload


def test_no_contestant_is_a_client_and_servers_need_no_further_claim():
    assert echo().client(setup("websocket"), PORT).environment is None
    server = echo().server(setup("websocket"), PORT)
    assert (server.environment, server.has_result) == ({}, False)
