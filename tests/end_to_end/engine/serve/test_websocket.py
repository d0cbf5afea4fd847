"""The server with a client of another library: push and TLS."""

from ssl import TLSVersion

import pytest
from peers.engine import serving
from peers.websocket import talk

# Long messages, because those in the buffers still have to be read.
LONG_TEXT = "hello world " * 100


@pytest.mark.parametrize(
    ("frames_per_write", "compression", "requested", "seconds"),
    [
        ("one", None, 500, 0.1),
        ("many", None, 500, 0.1),
        ("one", "deflate", 500, 0.1),
        ("one", None, 20_000, 0.001),
    ],
)
def test_a_push_has_at_least_its_duration_and_number_and_is_closed_by_the_server(
    frames_per_write, compression, requested, seconds
):
    workload = {
        "kind": "push",
        "frames_per_write": frames_per_write,
        "seconds": seconds,
        "payload": {"text": LONG_TEXT},
    }
    plan = {"compression": {}} if compression else {}
    with serving(workload=workload, **plan) as engine:
        received = talk(f"{engine.url}/{requested}", compression=compression)
        result = engine.result()
    assert received.close_code == 1000
    assert {*received.messages} == {LONG_TEXT}
    assert len(received.messages) == result["messages"] >= requested
    assert (result["ended"], result["close_code"]) == ("complete", 1000)
    assert result["acknowledged_bytes"] == result["wire_bytes"]
    assert result["closed_ns"] - result["first_sent_ns"] >= seconds * 1e9
    assert 0 < result["last_sent_ns"] <= result["closed_ns"]


@pytest.mark.parametrize("version", [TLSVersion.TLSv1_2, TLSVersion.TLSv1_3])
def test_the_server_speaks_tls(certificates, version):
    context = certificates.client(minimum=version, maximum=version)
    tls = {
        "certificate_file": str(certificates.certificate_file),
        "key_file": str(certificates.key_file),
    }
    with serving(tls=tls) as engine:
        assert engine.url.startswith("wss://")
        received = talk(f"{engine.url}/100", messages=100, ssl=context)
        result = engine.result()
    assert received.messages == ["hello world"] * 100
    assert received.tls[1] == version.name.replace("_", ".")
    assert (result["messages"], result["close_code"]) == (100, 1000)
    assert result["acknowledged_bytes"] is None
