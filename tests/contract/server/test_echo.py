"""The contract, clauses 2.3 and 4.2, for every server and variant."""

import socket

import pytest
from peers.expect import expect_answer, expect_compression
from peers.program import LIMIT_S
from websockets.exceptions import ConnectionClosed, WebSocketException

pytestmark = pytest.mark.clause("4.2")

MESSAGE_BYTES_MAX = 16 * 1024 * 1024
MESSAGES = [
    "hello world",
    b"\x00\xff\x80hello",
    "",
    b"",
    "grüezi 👋 日本語",
    "grüezi  " * 7281,
    bytes(range(256)) * 256,
    bytes(range(256)) * (MESSAGE_BYTES_MAX // 256),
]
INVALID = [b"", b"\x16\x03\x01\x00\x05hello", b"GET / HTTP/9.9\r\n\r\n"]


@pytest.fixture
def connection(server):
    with server.connect("/echo") as opened:
        yield opened


def test_messages_of_both_types_and_all_lengths_are_returned(connection):
    for message in MESSAGES:
        connection.send(message)
        expect_answer(connection, message)


def test_messages_are_returned_in_order(connection):
    sent = [f"{number}" if number % 2 else b"%d" % number for number in range(200)]
    for message in sent:
        connection.send(message)
    for message in sent:
        expect_answer(connection, message)


def test_several_connections_are_answered_at_once(server):
    server.exchange()


@pytest.mark.where("frames")
def test_fragments_are_returned_as_one_message(connection):
    connection.send(["grü", "", "ezi", " 👋"])
    expect_answer(connection, "grüezi 👋")
    connection.send([b"\x00", b"\xff" * 70_000, b"\x01"])
    expect_answer(connection, b"\x00" + b"\xff" * 70_000 + b"\x01")


@pytest.mark.where("frames")
def test_a_ping_is_answered_with_its_payload_also_between_fragments(connection):
    assert connection.ping("").wait(LIMIT_S)

    def fragments():
        yield "gr"
        assert connection.ping("are you there").wait(LIMIT_S)
        yield "üezi"

    connection.send(fragments())
    expect_answer(connection, "grüezi")


@pytest.mark.where("frames")
def test_a_closing_handshake_is_answered(connection):
    connection.close(1000)
    with pytest.raises(ConnectionClosed) as caught:
        connection.recv(timeout=LIMIT_S)
    assert (caught.value.rcvd.code, caught.value.sent.code) == (1000, 1000)


def test_a_lost_or_invalid_peer_ends_only_its_own_connection(connection, server):
    for invalid in INVALID:
        with socket.create_connection((server.host, server.port)) as peer:
            peer.sendall(invalid)
    with server.connect("/echo") as other:
        # An unmasked frame with a reserved opcode, and no closing handshake.
        other.socket.sendall(b"\x83\x01x")
    connection.send("still here")
    expect_answer(connection, "still here")


def test_another_path_is_refused(server):
    # Some libraries accept the connection, and close it then.
    with (
        pytest.raises((ConnectionError, WebSocketException)),
        server.connect("/other") as connection,
    ):
        connection.recv(timeout=LIMIT_S)


@pytest.mark.clause("2.3")
@pytest.mark.where("HTTP")
def test_compression_is_declined(server):
    with server.connect("/echo", compression="deflate") as connection:
        assert "Sec-WebSocket-Extensions" not in connection.response.headers
        connection.send("hello world")
        expect_answer(connection, "hello world")


@pytest.mark.clause("2.3")
@pytest.mark.where("deflate")
def test_compression_is_granted_if_configured(pool):
    expect_compression(pool["configured"].exchange(compression={}))
