"""Framed TCP, with servers of asyncio."""

import base64

import pytest
from peers.engine import load
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
    # A connection that begins late has messages that are not due within the window.
    assert result["messages"] >= exchanged["echoed"]
    assert result["bytes"] == result["messages"] * length
    assert result["read_bytes"] == exchanged["echoed"] * (4 + length)
    assert result["written_bytes"] == exchanged["sent"] * (4 + length)
