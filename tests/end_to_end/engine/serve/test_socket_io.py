"""The engine as a Socket.IO server, and clients in Python and in Node."""

import pytest
from peers.engine import serving
from peers.feeds import ENCODINGS, KINDS, decode
from peers.node import described, made
from peers.socket_io import talk

TRANSPORTS = ["websocket", "polling"]
MESSAGES = ["grüezi", "", 'a "b"\n\\c', b"\x00\x01\xff", "x" * 50_000]


@pytest.fixture(params=["python", "node"])
def client(request):
    """Return a function that talks to a namespace with each client."""
    if request.param == "python":
        return talk
    node = request.getfixturevalue("node")

    def talk_in_node(url, namespace, *, send=(), **settings):
        heard = node.talk(
            "socket_io_client",
            url=url + namespace,
            send=[described(message) for message in send],
            **settings,
        )
        assert heard["transport"] == settings["transport"]
        return [made(message) for message in heard["messages"]]

    return talk_in_node


def serving_socket_io(event=None, **plan):
    protocol = {"kind": "socket-io"} | ({"event": event} if event else {})
    return serving(protocol=protocol, **plan)


@pytest.mark.parametrize("acknowledge", [False, True], ids=["event", "acknowledgement"])
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_messages_come_back(client, transport, acknowledge):
    with serving_socket_io() as engine:
        assert engine.url.startswith("http://")
        heard = client(
            engine.url,
            "/echo",
            transport=transport,
            send=MESSAGES,
            messages=len(MESSAGES),
            acknowledge=acknowledge,
        )
    assert heard == MESSAGES


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_an_event_of_ones_own(client, transport):
    with serving_socket_io(event="line") as engine:
        heard = client(
            *(engine.url, "/echo"),
            transport=transport,
            event="line",
            send=["a"],
            messages=1,
        )
    assert heard == ["a"]


@pytest.mark.parametrize(
    ("payload", "message"),
    [({"text": "grüezi"}, "grüezi"), ({"base64": "AAH/"}, b"\x00\x01\xff")],
    ids=["text", "binary"],
)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_messages_are_pushed(client, transport, payload, message):
    with serving_socket_io(workload={"kind": "push", "payload": payload}) as engine:
        heard = client(engine.url, "/300", transport=transport, messages=300)
    assert heard == [message] * 300


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_feeds_are_sent(client, transport, kind, encoding):
    feed = {"kind": kind, "encoding": encoding, "every_ms": 5, "messages": 20}
    with serving_socket_io(feed=feed) as engine:
        heard = client(engine.url, "/feed", transport=transport, messages=20)
    items = [decode(kind, encoding, message) for message in heard]
    if kind in ("sequence", "stocks"):
        assert [item.number for item in items] == list(range(20))


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_it_speaks_tls_with_python(certificates, transport):
    tls = {
        "certificate_file": str(certificates.certificate_file),
        "key_file": str(certificates.key_file),
    }
    with serving_socket_io(tls=tls) as engine:
        heard = talk(
            *(engine.url, "/echo"),
            transport=transport,
            send=["a"],
            messages=1,
            ssl=certificates.client(),
        )
    assert heard == ["a"]
