"""Framed TCP, with servers of asyncio."""

import base64

import pytest
from peers.engine import failures, load
from peers.feeds import ENCODINGS, encode
from peers.framed_tcp import echo, framed_peer

PROTOCOL = {"kind": "framed-tcp"}


def run(handler, workload, **settings):
    with framed_peer(handler) as url:
        return load(url=url, protocol=PROTOCOL, workload=workload, **settings)


@pytest.mark.parametrize("length", [0, 1, 1000, 1_000_000])
@pytest.mark.parametrize("window", [1, 8])
def test_a_closed_loop_is_echoed(length, window):
    payload = {"base64": base64.b64encode(b"\x01" * length).decode()}
    workload = {
        "kind": "echo",
        "window": window,
        "payload": payload,
        "phases": {"window_s": 0.2},
    }
    result = run(echo, workload, connections=3)
    exchanged = result["exchange"]
    assert (result["connections"], result["failures"]) == (3, [])
    assert exchanged["echoed"] == exchanged["sent"] > 0
    assert result["bytes"] == exchanged["echoed"] * length
    assert result["read_bytes"] == exchanged["echoed"] * (4 + length)
    assert result["written_bytes"] == exchanged["sent"] * (4 + length)


def test_a_text_is_sent_as_utf_8():
    received = []

    async def keep(frames):
        while True:
            received.append(await frames.receive())
            await frames.send(received[-1])

    workload = {
        "kind": "echo",
        "payload": {"text": "grüezi"},
        "phases": {"window_s": 0.2},
    }
    result = run(keep, workload)
    assert result["failures"] == []
    assert set(received) == {"grüezi".encode()}


def test_an_open_loop_is_echoed():
    workload = {
        "kind": "echo",
        "schedule": {"kind": "constant", "rate_per_s": 200},
        "phases": {"window_s": 0.5},
    }
    result = run(echo, workload, connections=2)
    assert result["exchange"]["sent"] == result["exchange"]["echoed"] == 100


def test_pushed_messages_are_received():
    async def push(frames):
        for _ in range(50):
            await frames.send(b"hello world")
        await frames.receive()

    workload = {
        "kind": "receive",
        "messages": 50,
        "payload": {"text": "hello world", "type": "binary"},
    }
    result = run(push, workload)
    assert (result["messages"], result["bytes"], result["wrong"]) == (50, 550, 0)
    assert result["ended"] == "complete"


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_feed_is_received(encoding):
    async def push(frames):
        for number in (0, 1, 3, 4):
            message = encode("sequence", encoding, number)
            await frames.send(message if encoding == "binary" else message.encode())
        await frames.receive()

    feed = {"kind": "sequence", "encoding": encoding}
    result = run(push, {"kind": "receive", "messages": 4, "feed": feed})
    assert (result["messages"], result["wrong"]) == (4, 0)
    assert (result["sequence"]["gaps"], result["sequence"]["missing"]) == (1, 1)


def test_idle_connections_stay_open():
    workload = {"kind": "connect", "phases": {"window_s": 0.2}}
    result = run(echo, workload, connections=10)
    assert (result["connections"], result["failures"]) == (10, [])


def test_dropped_connections_reconnect():
    workload = {"kind": "reconnect", "phases": {"window_s": 0.3}}
    result = run(echo, workload, connections=5)
    assert result["recovery"]["dropped"] == result["recovery"]["recovered"] == 5


def test_the_end_of_the_stream_is_a_close():
    async def end(frames):
        await frames.send(b"one")

    result = run(end, {"kind": "receive", "messages": 2})
    assert (result["messages"], result["ended"]) == (1, "closed")
    assert failures(result) == {"close": 1}
