"""permessage-deflate: negotiation with another library, and what is reported of it."""

import re

import pytest
from peers.engine import load, serving
from peers.websocket import Echo, talk, websocket_peer
from websockets.extensions.permessage_deflate import (
    ClientPerMessageDeflateFactory,
    ServerPerMessageDeflateFactory,
)

LONG_TEXT = "hello world " * 100
LIMITS = {
    "none": {},
    "contexts": {
        "server_no_context_takeover": True,
        "client_no_context_takeover": True,
    },
    "server window": {"server_max_window_bits": 9},
    "client window": {"client_max_window_bits": 9},
}
"""The parameters that limit a connection; they are granted as they are wanted."""


def parameters(extension):
    return sorted(re.split(r"\s*;\s*", extension))


def exchange(peer, planned, **settings):
    """Run a closed loop with three connections; return the result's compression."""
    workload = {"kind": "echo", "payload": {"text": LONG_TEXT}}
    workload["phases"] = {"window_s": 0.2}
    plan = {"workload": workload, "compression": planned, "connections": 3}
    with websocket_peer(peer, **settings) as url:
        result = load(url=url, **plan)
    assert result["failures"] == []
    assert result["exchange"]["echoed"] == result["exchange"]["sent"] > 0
    assert set(peer.messages) == {LONG_TEXT}
    return result["compression"]


@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS)
def test_limits_of_a_server_are_respected_and_reported(limits):
    peer = Echo()
    factory = ServerPerMessageDeflateFactory(**limits)
    compression = exchange(peer, {}, extensions=[factory])
    granted = peer.connections[0].response.headers["Sec-WebSocket-Extensions"]
    ((reported, connections),) = compression["connections"].items()
    assert (parameters(reported), connections) == (parameters(granted), 3)


def test_a_server_may_decline_compression():
    compression = exchange(Echo(), {})
    assert compression["connections"] == {"": 3}
    for direction in ("sent", "received"):
        assert compression[direction]["messages"] == 0


def test_compression_is_not_offered_unless_planned():
    peer = Echo()
    assert exchange(peer, None, compression="deflate") is None
    for connection in peer.connections:
        assert "Sec-WebSocket-Extensions" not in connection.request.headers


@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS)
def test_the_server_grants_what_is_planned(limits):
    extensions = [ClientPerMessageDeflateFactory(client_max_window_bits=True)]
    with serving(compression=limits) as engine:
        url = f"{engine.url}/echo"
        received = talk(url, send=[LONG_TEXT] * 3, messages=3, extensions=extensions)
    assert received.messages == [LONG_TEXT] * 3
    granted = parameters(received.extensions)
    assert "permessage-deflate" in granted
    for name, value in limits.items():
        assert (name if value is True else f"{name}={value}") in granted
