"""The lines of a server: their keys, and the effect of its options."""

import os
from pathlib import Path

import pytest
from peers.engine import serving
from peers.websocket import talk

AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
RESULT = {
    "event",
    "messages",
    "bytes",
    "acknowledged_bytes",
    "wire_bytes",
    "write_calls",
    "first_sent_ns",
    "last_sent_ns",
    "closed_ns",
    "busy_ns",
    "blocked_ns",
    "close_code",
    "ended",
    "congestion_control",
    "processes",
}
FEED = {"kind": "sequence", "messages": 100}


@pytest.mark.parametrize("path", ["/100", "/feed"])
def test_a_result_has_all_keys_and_no_others(path):
    with serving(feed=FEED, connections=1) as engine:
        talk(engine.url + path, messages=100)
        result = engine.result()
    assert set(result) == RESULT
    instants = [result[f"{name}_ns"] for name in ("first_sent", "last_sent", "closed")]
    assert 0 < instants[0] <= instants[1] <= instants[2]
    assert result["wire_bytes"] > result["bytes"]
    assert result["busy_ns"] > 0


def test_each_second_has_a_line_with_the_sent_messages():
    feed = {"kind": "hello", "every_ms": 50, "messages": 25}
    with serving(feed=feed, connections=1) as engine:
        talk(f"{engine.url}/feed")
        second, result = engine.line(), engine.result()
    assert set(second) == {"event", "second", "messages", "bytes"}
    assert (second["event"], second["second"]) == ("second", 0)
    assert 0 < second["messages"] < result["messages"] == 25
    assert second["bytes"] == second["messages"] * len("hello world")


@pytest.mark.parametrize("path", ["/100", "/feed"])
def test_processes_are_observed(path):
    with serving(feed=FEED, connections=1, hold_until_observing=True) as engine:
        engine.observe(client=os.getpid(), server=engine.pid)
        talk(engine.url + path, messages=100)
        result = engine.result()
    assert set(result["processes"]) == {"client", "server"}
    for observed in result["processes"].values():
        assert observed["resident_bytes"] > 0
        assert observed["peak_resident_bytes"] >= observed["resident_bytes"]


@pytest.mark.parametrize("name", AVAILABLE.read_text().split())
def test_congestion_control_can_be_chosen(name):
    with serving(congestion_control=name) as engine:
        talk(f"{engine.url}/1", messages=1)
        assert engine.result()["congestion_control"] == name


@pytest.mark.parametrize(
    "tcp",
    [
        {"no_delay": False},
        {"send_buffer_bytes": 40_000, "receive_buffer_bytes": 40_000},
    ],
    ids=lambda tcp: next(iter(tcp)),
)
def test_the_server_pushes_with_each_socket_option(tcp):
    with serving(tcp=tcp) as engine:
        received = talk(f"{engine.url}/1000", messages=1000)
    assert received.messages == ["hello world"] * 1000
