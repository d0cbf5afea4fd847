"""Configurations of both ends of an echo, in each protocol."""

from base64 import b64encode

import pytest
from pydantic import ValidationError
from tests.unit.workloads.made_up import setup

from autostrada.errors import NoRate
from autostrada.workloads.echo import Echo
from autostrada.workloads.payload import payload_of

PORT = 9999


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
        "opening_s": 20,
        "warm_up_s": 1,
        "window_s": 2.5,
        "drain_s": 5,
    }


def test_a_closed_loop_has_no_schedule():
    plan = echo(every_ms=None, in_flight=16).client(setup("websocket"), PORT).plan
    assert plan["workload"]["window"] == 16
    assert "schedule" not in plan["workload"]
    with pytest.raises(ValidationError, match="a closed loop has no every_ms"):
        echo(every_ms=100, in_flight=1)


def test_a_share_of_another_workloads_rate_is_offered():
    half = echo(every_ms=None, connections=4, offered={"share": 0.5, "of": "fast"})
    assert half.rate_source == "fast"
    plan = half.at_rate(8_000).client(setup("websocket"), PORT).plan
    assert plan["workload"]["schedule"]["rate_per_s"] == 1_000
    with pytest.raises(NoRate, match="workload 'fast' of the same run has no rate"):
        half.client(setup("websocket"), PORT)
    with pytest.raises(ValidationError, match="offered decides the rate"):
        echo(every_ms=100, offered={"share": 0.5, "of": "fast"})
    unchanged = echo()
    assert unchanged.at_rate(8_000) == unchanged
    # A thousand connections offer the share, four of them in proportion.
    few = {"share": 0.5, "of": "fast", "connections": 1_000}
    assert (
        echo(every_ms=None, connections=4, offered=few).at_rate(8_000).every_ms == 250
    )


def test_a_warm_up_is_made_longer_and_never_shorter():
    short = echo(warm_up_s=1, every_ms=None, in_flight=1)
    assert short.warmed_up(10).duration_s == 10 + short.window_s
    assert short.warmed_up(0.5) == short
    share = echo(warm_up_s=1, every_ms=None, offered={"share": 0.5, "of": "fast"})
    assert share.warmed_up(10).at_rate(8_000).warm_up_s == 10
    rare = echo(warm_up_s=1, every_ms=1000)
    assert rare.warmed_up(10) == rare


def test_without_an_interval_it_is_a_second():
    plan = echo(every_ms=None).client(setup("websocket"), PORT).plan
    assert plan["workload"]["schedule"]["rate_per_s"] == 1


def test_socket_io_has_a_namespace_and_a_transport():
    polled = echo(transport="polling")
    plan = polled.client(setup("socketio"), PORT).plan
    assert plan["protocol"] == {
        "kind": "socket-io",
        "transport": "polling",
        "namespace": "/echo",
    }


def test_a_server_of_its_own_has_another_path_and_answer():
    plan = echo(path="/chat?room=1", reply="next").client(setup("websocket"), PORT).plan
    assert plan["url"].endswith(f":{PORT}/chat?room=1")
    assert plan["workload"]["reply"] == {"kind": "next"}
    assert "reply" not in echo().client(setup("websocket"), PORT).plan["workload"]


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
    assert workload.message.size == size
    plan = workload.client(setup("framed-tcp"), PORT).plan
    assert plan["workload"]["payload"] == payload


@pytest.mark.parametrize(
    ("encoding", "kind", "start", "size"),
    [
        ("text", "text", "", 20),
        ("binary", "base64", "", 20),
        ("base64", "text", "", 28),
        ("packet", "text", '{"event":"', 28 + 12),
    ],
)
def test_an_event_has_the_same_bytes_in_each_encoding(encoding, kind, start, size):
    workload = echo(payload_bytes=20, encoding=encoding)
    assert workload.message.size == size
    plan = workload.client(setup("websocket"), PORT).plan
    ((given, content),) = plan["workload"]["payload"].items()
    assert given == kind
    event = payload_of(20).decode()
    expected = event if encoding == "text" else b64encode(event.encode()).decode()
    assert content.removeprefix(start).removesuffix('"}' if start else "") == expected


def test_sizes_can_be_swept():
    swept = echo(encoding="packet", sweep={"payload_bytes": [20, 500]})
    points = {each.name: each.message.size for each in swept.points()}
    assert points == {"echo payload_bytes=20": 40, "echo payload_bytes=500": 680}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"payload": {"text": "a"}, "payload_bytes": 1}, "not both"),
        ({"payload": {"text": "a"}, "sweep": {"payload_bytes": [1]}}, "not both"),
        ({"encoding": "packet"}, "encoding needs payload_bytes"),
        ({"work_us": 1_000_001}, "work_us"),
        ({"work_us": -1}, "work_us"),
    ],
)
def test_contradictory_parameters_are_refused(settings, message):
    with pytest.raises(ValidationError, match=message):
        echo(**settings)


def test_work_is_a_setting_of_each_server():
    worked = echo(sweep={"work_us": [0, 200]})
    idle, busy = worked.points()
    assert (idle.server_claims, busy.server_claims) == ((), ("work",))
    server = busy.server(setup("websocket"), PORT)
    assert server.environment == {"WORK_US": "200"}
    assert server.plan["faults"] == {"work_us": 200}
    assert "faults" not in idle.server(setup("websocket"), PORT).plan


def test_the_subscribers_of_a_lobby_are_a_second_process():
    lobby = {"encoding": "binary", "every_ms": 500, "stocks": 10}
    played = echo(lobby=lobby, connections=7, warm_up_s=1, window_s=2, drain_s=1)
    assert (played.client_processes, played.total_connections) == (2, 7)
    assert played.published_roles == {"server"}
    assert not echo().published_roles
    made = setup("framed-tcp")
    bots, subscribers = (played.client_of(index, made, PORT).plan for index in (0, 1))
    assert bots == played.client(made, PORT).plan
    assert subscribers["url"] == "tcp://127.0.0.1:9999/feed"
    assert subscribers["connections"] == 7
    server = played.server(made, PORT)
    assert server.environment == {
        "FEED": "stocks",
        "ENCODING": "binary",
        "SUBSCRIBERS": "7",
        # Beyond warm-up, window and drain.
        "SECONDS": "9",
        "STOCKS": "10",
        "EVERY_MS": "500",
    }
    assert server.plan["feed"]["subscribers"] == 7
    assert "connections" not in server.plan
    assert not server.has_result


def test_a_lobby_excludes_polling():
    with pytest.raises(ValidationError, match="lobby: cannot be combined"):
        echo(lobby={}, transport="polling")


def test_no_contestant_is_a_client_and_servers_need_no_further_claim():
    assert echo().client(setup("websocket"), PORT).environment is None
    server = echo().server(setup("websocket"), PORT)
    assert (server.environment, server.has_result) == ({}, False)


def test_both_ends_are_asked_to_compress():
    compressed = echo(deflate=True)
    assert compressed.server_claims == ("deflate",)
    assert compressed.required_protocol == "websocket"
    served = compressed.server(setup("websocket"), PORT)
    assert served.environment == {"COMPRESSION": "deflate"}
    assert served.plan["compression"] == {}
    assert compressed.client(setup("websocket"), PORT).plan["compression"] == {}
    assert "compression" not in echo().client(setup("websocket"), PORT).plan
    with pytest.raises(ValidationError, match="cannot be combined with transport"):
        echo(deflate=True, transport="polling")
