"""The server with a client of another library: echo, push and negotiation."""

import re
from ssl import TLSVersion

import pytest
from peers.engine import serving
from peers.websocket import talk
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory

LONG_TEXT = "hello world " * 100
GRANTS = {
    "no limits": {},
    "no server context": {"server_no_context_takeover": True},
    "no client context": {"client_no_context_takeover": True},
    "small server window": {"server_max_window_bits": 9},
    "small client window": {"client_max_window_bits": 9},
}


@pytest.mark.parametrize(
    ("frames_per_write", "compression"),
    [("one", None), ("many", None), ("one", "deflate")],
)
def test_a_push_with_a_duration_is_closed_by_the_server(frames_per_write, compression):
    workload = {"kind": "push", "frames_per_write": frames_per_write, "seconds": 0.1}
    # Long messages, because those in the buffers still have to be read.
    workload["payload"] = {"text": LONG_TEXT}
    plan = {"compression": {}} if compression else {}
    with serving(workload=workload, **plan) as engine:
        received = talk(f"{engine.url}/500", compression=compression)
        result = engine.result()
    assert received.close_code == 1000
    assert {*received.messages} == {LONG_TEXT}
    assert len(received.messages) == result["messages"] >= 500
    assert (result["ended"], result["close_code"]) == ("complete", 1000)
    assert result["acknowledged_bytes"] == result["wire_bytes"]
    assert result["closed_ns"] - result["first_sent_ns"] >= 100_000_000
    assert 0 < result["last_sent_ns"] <= result["closed_ns"]


def test_a_push_with_a_duration_sends_at_least_the_requested_messages():
    workload = {"kind": "push", "frames_per_write": "one", "seconds": 0.001}
    with serving(workload=workload) as engine:
        received = talk(f"{engine.url}/20000")
        assert len(received.messages) == engine.result()["messages"] >= 20_000


@pytest.mark.parametrize("offer", GRANTS.values(), ids=GRANTS)
def test_compression_is_granted_within_the_clients_limits(offer):
    extensions = [ClientPerMessageDeflateFactory(**offer)]
    with serving(compression={}) as engine:
        url = f"{engine.url}/echo"
        received = talk(url, send=[LONG_TEXT] * 3, messages=3, extensions=extensions)
    assert received.messages == [LONG_TEXT] * 3
    granted = re.split(r"\s*;\s*", received.extensions)
    assert granted[0] == "permessage-deflate"
    for name in {"server_no_context_takeover", "server_max_window_bits"} & set(offer):
        value = offer[name]
        assert (name if value is True else f"{name}={value}") in granted


@pytest.mark.parametrize("settings", GRANTS.values(), ids=GRANTS)
def test_compression_is_limited_by_the_plan(settings):
    extensions = [ClientPerMessageDeflateFactory(client_max_window_bits=True)]
    with serving(compression=settings) as engine:
        url = f"{engine.url}/echo"
        received = talk(url, send=[LONG_TEXT] * 3, messages=3, extensions=extensions)
    assert received.messages == [LONG_TEXT] * 3
    granted = re.split(r"\s*;\s*", received.extensions)
    for name, value in settings.items():
        assert (name if value is True else f"{name}={value}") in granted


def tls_plan(certificates):
    return {
        "certificate_file": str(certificates.certificate_file),
        "key_file": str(certificates.key_file),
    }


@pytest.mark.parametrize("version", [TLSVersion.TLSv1_2, TLSVersion.TLSv1_3])
def test_the_server_speaks_tls(certificates, version):
    context = certificates.client(minimum=version, maximum=version)
    with serving(tls=tls_plan(certificates)) as engine:
        assert engine.url.startswith("wss://")
        received = talk(f"{engine.url}/100", messages=100, ssl=context)
        result = engine.result()
    assert received.messages == ["hello world"] * 100
    assert received.tls[1] == version.name.replace("_", ".")
    assert (result["messages"], result["close_code"]) == (100, 1000)
    assert result["acknowledged_bytes"] is None
