"""The engine as a server of framed TCP, and a client on plain sockets."""

import pytest
from peers.engine import serving
from peers.feeds import ENCODINGS, KINDS, decode
from peers.framed_tcp import framed_client

PROTOCOL = {"kind": "framed-tcp"}


def as_message(payload, encoding):
    return payload if encoding == "binary" else payload.decode()


@pytest.mark.parametrize("length", [0, 1, 1000, 1_000_000])
def test_messages_are_echoed(length):
    with serving(protocol=PROTOCOL) as engine:
        assert engine.url.startswith("tcp://")
        with framed_client(engine.url, "/echo") as client:
            for content in (b"\x01", b"\x02"):
                client.send(content * length)
                assert client.receive() == content * length


def test_messages_are_pushed():
    with serving(protocol=PROTOCOL) as engine:
        with framed_client(engine.url, "/500") as client:
            messages = [client.receive() for _ in range(500)]
        result = engine.result()
    assert messages == [b"hello world"] * 500
    assert (result["messages"], result["bytes"]) == (500, 5500)
    assert result["wire_bytes"] == 500 * 15
    assert (result["ended"], result["close_code"]) == ("complete", None)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_feeds_are_sent_to_their_end(kind, encoding):
    feed = {"kind": kind, "encoding": encoding, "messages": 20}
    with (
        serving(protocol=PROTOCOL, feed=feed) as engine,
        framed_client(engine.url, "/feed") as client,
    ):
        items = [
            decode(kind, encoding, as_message(payload, encoding))
            for payload in iter(client.receive, None)
        ]
    assert len(items) == 20
    if kind in ("sequence", "stocks"):
        assert [item.number for item in items] == list(range(20))


def test_all_subscribers_receive_the_same_messages():
    feed = {"kind": "stocks", "subscribers": 2, "messages": 20}
    with (
        serving(protocol=PROTOCOL, feed=feed) as engine,
        framed_client(engine.url, "/feed") as one,
        framed_client(engine.url, "/feed") as other,
    ):
        received = [list(iter(client.receive, None)) for client in (one, other)]
    assert received[0] == received[1]
    assert len(received[0]) == 20


def test_the_server_speaks_tls(certificates):
    tls = {
        "certificate_file": str(certificates.certificate_file),
        "key_file": str(certificates.key_file),
    }
    with serving(protocol=PROTOCOL, tls=tls) as engine:
        assert engine.url.startswith("tls://")
        with framed_client(engine.url, "/echo", ssl=certificates.client()) as client:
            client.send(b"a")
            assert client.receive() == b"a"
