"""What each end of a trial of bots is told, in each protocol."""

import pytest

from autostrada.experiment.experiment import parse_experiment
from autostrada.experiment.workload import Bots
from autostrada.runner.trial.bots.plans import (
    client_plan,
    payload_bytes,
    server_environment,
    server_plan,
)

PORT = 9999
EXPERIMENT = parse_experiment(
    """
title = "Bots"
question = "How many?"
repetitions = 1
warm_ups = 0
limit_s = 30
congestion_control = "reno"

[[workload]]
name = "bots"
kind = "bots"
window_s = 1
""",
    origin="bots.toml",
)


def bots(**settings):
    values = {"name": "bots", "kind": "bots", "window_s": 2.5, "every_ms": 250}
    return Bots(**values | settings)


@pytest.mark.parametrize(
    ("protocol", "kind", "url"),
    [
        ("websocket", "websocket", "ws://127.0.0.1:9999/echo"),
        ("socketio", "socket-io", "http://127.0.0.1:9999/"),
        ("framed-tcp", "framed-tcp", "tcp://127.0.0.1:9999/echo"),
    ],
)
def test_the_engine_speaks_each_protocol(protocol, kind, url):
    plan = client_plan(EXPERIMENT, bots(), protocol, PORT)
    assert plan["protocol"]["kind"] == kind
    assert plan["url"] == url
    assert plan["tcp"] == {"congestion_control": "reno"}


@pytest.mark.parametrize("protocol", ["websocket", "framed-tcp"])
def test_the_engine_serves_websocket_and_framed_tcp(protocol):
    served = server_plan(EXPERIMENT, bots(), protocol, PORT)
    assert served["protocol"] == {"kind": protocol}
    assert served["congestion_control"] == "reno"
    assert served["listen"] == "127.0.0.1:9999"
    assert server_environment(PORT) == {"HOST": "127.0.0.1", "PORT": "9999"}


def test_bots_send_at_their_own_rate():
    plan = client_plan(EXPERIMENT, bots(connections=7), "websocket", PORT)
    assert plan["connections"] == 7
    schedule = plan["workload"]["schedule"]
    assert schedule == {"kind": "constant", "per": "connection", "rate_per_s": 4}
    assert plan["workload"]["phases"] == {
        "opening_s": 30,
        "warm_up_s": 1,
        "window_s": 2.5,
        "drain_s": 5,
    }


def test_socket_io_is_asked_for_its_namespace_and_transport():
    polled = bots(transport="polling")
    plan = client_plan(EXPERIMENT, polled, "socketio", PORT)
    assert plan["protocol"] == {
        "kind": "socket-io",
        "transport": "polling",
        "namespace": "/echo",
    }


def test_polling_takes_two_sockets():
    many = bots(transport="polling", connections=40_000)
    polled = client_plan(EXPERIMENT, many, "socketio", PORT)
    plain = client_plan(EXPERIMENT, many, "websocket", PORT)
    assert polled["threads"] >= plain["threads"]
    assert len(polled["source_addresses"]) > len(plain["source_addresses"])


@pytest.mark.parametrize(
    ("payload", "size"),
    [({"text": "grüezi"}, 7), ({"base64": "AAECAw=="}, 4)],
)
def test_an_event_is_so_long(payload, size):
    workload = bots(payload=payload)
    assert payload_bytes(workload) == size
    plan = client_plan(EXPERIMENT, workload, "framed-tcp", PORT)
    assert plan["workload"]["payload"] == payload
