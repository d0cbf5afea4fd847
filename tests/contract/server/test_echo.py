"""The contract, clauses 8.3, 8.4, 8.11 and 8.14, for every server and variant."""

import base64
import socket

import pytest
from peers.expect import expect_answer, expect_no_failures
from peers.program import LIMIT_S, cpu_ns
from websockets.exceptions import ConnectionClosed

MEBIBYTE = 1024 * 1024
MESSAGES = {
    "text": "hello world",
    "binary": b"\x00\xff\x80hello",
    "empty text": "",
    "empty binary": b"",
    "UTF-8": "grüezi 👋 日本語",
    "64 KiB": bytes(range(256)) * 256,
    "64 KiB of text": "grüezi  " * 7281,
    "1 MiB": bytes(range(256)) * 4096,
    "16 MiB": bytes(range(256)) * 4096 * 16,
}
NO_PACKETS = [
    '{"event":"aGk="',
    '{"event":"aGk="} {}',
    '{"event":"hello world"}',
    '{"action":"aGk="}',
    '{"event":"aGk=","player":1}',
    '{"event":1}',
    '["event","aGk="]',
    "1",
]


@pytest.fixture
def connection(echo_server):
    with echo_server.connect("/echo") as opened:
        yield opened


@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
def test_a_message_is_returned_unchanged(connection, message):
    connection.send(message)
    answer = connection.recv(timeout=LIMIT_S)
    assert type(answer) is type(message)
    assert answer == message


def test_messages_are_returned_in_order(connection):
    sent = [f"{number}" if number % 2 else b"%d" % number for number in range(200)]
    for message in sent:
        connection.send(message)
    assert [connection.recv(timeout=LIMIT_S) for _ in sent] == sent


def packet(event):
    return f'{{"event":"{base64.b64encode(event).decode()}"}}'


def test_packets_are_returned_unchanged(connection):
    for length in [0, 1, 2, 3, 200, 70_000]:
        sent = packet(bytes(number % 251 for number in range(length)))
        connection.send(sent)
        expect_answer(connection, sent)


def test_text_that_looks_like_a_packet_is_returned_unchanged(connection):
    for text in NO_PACKETS:
        connection.send(text)
        expect_answer(connection, text)


@pytest.mark.where("packets")
def test_packets_are_decoded_if_they_are_enabled(connection):
    connection.send('{ "event" : "aGVs\\u0062G8=" }')
    expect_answer(connection, packet(b"hello"))


@pytest.mark.where("work")
def test_each_answer_costs_the_configured_cpu_time(starter):
    work_us, messages = 2000, 20
    with (
        starter.start(WORK_US=str(work_us)) as server,
        server.connect("/echo") as connection,
    ):
        before_ns = cpu_ns(server.process.pid)
        for number in range(messages):
            connection.send(f"{number}")
            expect_answer(connection, f"{number}")
        used_ns = cpu_ns(server.process.pid) - before_ns
    assert used_ns >= messages * work_us * 1000


@pytest.mark.where("frames")
def test_fragments_are_returned_as_one_message(connection):
    connection.send(["grü", "", "ezi", " 👋"])
    expect_answer(connection, "grüezi 👋")
    connection.send([b"\x00", b"\xff" * 70_000, b"\x01"])
    expect_answer(connection, b"\x00" + b"\xff" * 70_000 + b"\x01")


@pytest.mark.where("frames")
@pytest.mark.parametrize("payload", ["", "are you there"])
def test_a_ping_is_answered_with_its_payload(connection, payload):
    assert connection.ping(payload).wait(LIMIT_S)


@pytest.mark.where("frames")
def test_a_ping_between_fragments_is_answered(connection):
    answers = []

    def fragments():
        yield "gr"
        answers.append(connection.ping("here").wait(LIMIT_S))
        yield "üezi"

    connection.send(fragments())
    expect_answer(connection, "grüezi")
    assert answers == [True]


@pytest.mark.where("frames")
def test_a_closing_handshake_is_answered(echo_server):
    with echo_server.connect("/echo") as connection:
        connection.close(1000)
        with pytest.raises(ConnectionClosed) as caught:
            connection.recv(timeout=LIMIT_S)
    assert caught.value.rcvd.code == 1000
    assert caught.value.sent.code == 1000


def test_a_lost_or_invalid_peer_ends_only_its_own_connection(connection, echo_server):
    for invalid in [b"", b"\x16\x03\x01\x00\x05hello", b"GET / HTTP/9.9\r\n\r\n"]:
        with socket.create_connection((echo_server.host, echo_server.port)) as peer:
            peer.sendall(invalid)
    with echo_server.connect("/echo") as other:
        # An unmasked frame with a reserved opcode, and no closing handshake.
        other.socket.sendall(b"\x83\x01x")
    connection.send("still here")
    expect_answer(connection, "still here")


@pytest.mark.where("HTTP")
def test_compression_is_declined(echo_server):
    with echo_server.connect("/echo", compression="deflate") as connection:
        assert "Sec-WebSocket-Extensions" not in connection.response.headers
        connection.send("hello world")
        expect_answer(connection, "hello world")


def exchange(load_at, server, **plan):
    """Let the engine exchange echoes on several connections; check its result."""
    workload = {"kind": "echo", "window": 4, "phases": {"window_s": 0.1}}
    workload["payload"] = {"random_bytes": 1000, "type": "text", "stamped": True}
    result = load_at(server, "/echo", connections=8, workload=workload, **plan)
    expect_no_failures(result)
    assert result["messages"] > 0
    assert result["exchange"]["echoed"] == result["exchange"]["sent"]
    return result


def test_several_connections_are_answered_at_once(load_at, echo_server):
    exchange(load_at, echo_server)


@pytest.mark.where("TLS")
def test_it_uses_tls_if_configured(load_at, pool):
    result = exchange(load_at, pool["clock json"])
    assert result["tls"]["version"] in ("1.2", "1.3")


@pytest.mark.where("server compression")
def test_compression_is_granted_if_configured(load_at, pool):
    result = exchange(load_at, pool["stocks json"], compression={})
    (granted,) = result["compression"]["connections"]
    assert granted.startswith("permessage-deflate")
    for direction in ("sent", "received"):
        assert result["compression"][direction]["messages"] > 0
