"""permessage-deflate: negotiation with other libraries, and its effect."""

import re

import pytest
from peers.engine import load
from peers.websocket import Echo, echo, websocket_peer
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory

LONG_TEXT = "hello world " * 100
GRANTS = {
    "no limits": {},
    "no server context": {"server_no_context_takeover": True},
    "no client context": {"client_no_context_takeover": True},
    "both forget": {
        "server_no_context_takeover": True,
        "client_no_context_takeover": True,
    },
    "small server window": {"server_max_window_bits": 9},
    "small client window": {"client_max_window_bits": 9},
    "all": {
        "server_no_context_takeover": True,
        "client_no_context_takeover": True,
        "server_max_window_bits": 10,
        "client_max_window_bits": 11,
    },
}


def parameters(extension):
    return sorted(re.split(r"\s*;\s*", extension))


def exchange(url, compression, *, payload=None, **settings):
    """Run a closed loop with compression; return the result and its `compression`."""
    workload = {
        "kind": "echo",
        "payload": payload or {"text": LONG_TEXT},
        "phases": {"window_s": 0.2},
    }
    result = load(url=url, workload=workload, compression=compression, **settings)
    assert result["failures"] == []
    assert result["exchange"]["echoed"] == result["exchange"]["sent"] > 0
    return result, result["compression"]


@pytest.mark.parametrize("grant", GRANTS.values(), ids=GRANTS)
def test_limits_of_a_server_are_respected_and_reported(grant):
    peer = Echo()
    extensions = [ServerPerMessageDeflateFactory(**grant)]
    with websocket_peer(peer, extensions=extensions) as url:
        _, compression = exchange(url, {}, connections=2)
    granted = peer.connections[0].response.headers["Sec-WebSocket-Extensions"]
    ((reported, connections),) = compression["connections"].items()
    assert (parameters(reported), connections) == (parameters(granted), 2)
    assert set(peer.messages) == {LONG_TEXT}


@pytest.mark.parametrize("settings", GRANTS.values(), ids=GRANTS)
def test_compression_is_granted_as_planned(settings):
    peer = Echo()
    extensions = [ServerPerMessageDeflateFactory()]
    with websocket_peer(peer, extensions=extensions) as url:
        _, compression = exchange(url, settings)
    offered = peer.connections[0].request.headers["Sec-WebSocket-Extensions"]
    (granted,) = compression["connections"]
    for name, value in settings.items():
        parameter = name if value is True else f"{name}={value}"
        assert parameter in parameters(offered)
        assert parameter in parameters(granted)


def test_a_server_may_decline_compression():
    with websocket_peer(echo) as url:
        _, compression = exchange(url, {}, connections=3)
    assert compression["connections"] == {"": 3}
    for direction in ("sent", "received"):
        assert compression[direction]["messages"] == 0


def test_compression_is_not_offered_by_default():
    peer = Echo()
    with websocket_peer(peer, compression="deflate") as url:
        workload = {"kind": "echo", "phases": {"window_s": 0.2}}
        result = load(url=url, workload=workload)
    assert result["compression"] is None
    assert "Sec-WebSocket-Extensions" not in peer.connections[0].request.headers


def test_a_compressed_message_can_be_fragmented():
    payload = {"random_bytes": 1000, "fragment_bytes": 100}
    peer = Echo()
    with websocket_peer(peer, compression="deflate") as url:
        _, compression = exchange(url, {}, payload=payload)
    assert compression["sent"]["messages"] == len(peer.messages)
    assert {len(message) for message in peer.messages} == {1000}
