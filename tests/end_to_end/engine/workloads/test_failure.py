"""Failures by kind, and how the load ends."""

import socket
import time
from http import HTTPStatus

import pytest
from peers.engine import failures, load
from peers.raw import raw_peer, text_frame
from peers.websocket import echo, idle, websocket_peer

ECHO = {"kind": "echo", "phases": {"opening_s": 20, "window_s": 0.3, "drain_s": 0.1}}
RECEIVE = {"kind": "receive", "messages": 10}


def of_script(script, workload, **settings):
    with raw_peer(script) as url:
        return load(url=url, workload=workload, **settings)


@pytest.mark.parametrize("workload", [ECHO, RECEIVE], ids=["echo", "receive"])
def test_without_a_listener_connections_are_refused(workload):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    result = load(url=f"ws://127.0.0.1:{port}", workload=workload, connections=3)
    assert failures(result) == {"connect": 3}
    assert "refused" in result["failures"][0]["example"]
    assert result["connections"] == 0


def test_a_refused_handshake_is_a_failure():
    def forbid(connection, request):
        return connection.respond(HTTPStatus.FORBIDDEN, "go away\n")

    with websocket_peer(idle, process_request=forbid) as url:
        result = load(url=url, workload=ECHO, connections=2)
    assert failures(result) == {"handshake": 2}
    assert "403" in result["failures"][0]["example"]


def test_an_unanswered_handshake_is_a_failure():
    async def stay_silent(wire):
        await wire.read_to_end()

    phases = {"opening_s": 0.3, "window_s": 0.1}
    result = of_script(stay_silent, {"kind": "connect", "phases": phases})
    assert failures(result) == {"timeout": 1}
    assert result["connections"] == 0


def test_silence_after_the_handshake_is_a_failure():
    started_s = time.monotonic()
    with websocket_peer(idle) as url:
        result = load(url=url, workload=RECEIVE, limit_s=1)
    assert result["ended"] == "timeout"
    assert failures(result) == {"timeout": 1}
    assert (result["connections"], result["messages"]) == (1, 0)
    assert time.monotonic() - started_s > 1


def test_an_unanswered_message_is_a_failure():
    with websocket_peer(idle) as url:
        result = load(url=url, workload=ECHO, connections=2)
    assert (result["exchange"]["sent"], result["exchange"]["echoed"]) == (2, 0)


def test_an_early_close_is_a_failure():
    async def close_early(connection):
        await connection.send("one")
        await connection.close(1001)

    with websocket_peer(close_early) as url:
        result = load(url=url, workload=RECEIVE)
    assert (result["ended"], result["messages"]) == ("closed", 1)
    assert failures(result) == {"close": 1}
    assert "1001" in result["failures"][0]["example"]


def test_a_close_instead_of_an_answer_is_a_failure():
    async def close_then(connection):
        await connection.recv()
        await connection.close(1011)

    with websocket_peer(close_then) as url:
        result = load(url=url, workload=ECHO)
    assert failures(result)["close"] == 1
    assert result["exchange"]["echoed"] == 0


def test_a_reset_is_a_failure():
    async def reset(wire):
        await wire.upgrade(text_frame("one"))
        wire.reset()

    result = of_script(reset, RECEIVE)
    assert result["ended"] == "reset"
    assert failures(result) == {"read": 1}


@pytest.mark.parametrize(
    "wrong",
    [b"\x83\x00", b"\x81\x80abcd", b"\xc1\x01x", b"\x81\x01\xff"],
    ids=["reserved opcode", "masked", "compressed", "no UTF-8"],
)
def test_a_protocol_error_of_the_server_is_a_failure(wrong):
    async def break_it(wire):
        await wire.upgrade(text_frame("one") + wrong)
        await wire.read_to_end()

    result = of_script(break_it, RECEIVE)
    assert (result["ended"], result["messages"]) == ("violation", 1)
    assert failures(result) == {"protocol": 1}


def test_a_different_answer_is_a_failure():
    async def constant_answer(connection):
        await connection.recv()
        await connection.send("parrot")
        await connection.wait_closed()

    with websocket_peer(constant_answer) as url:
        result = load(url=url, workload=ECHO)
    assert failures(result)["mismatch"] == 1
    assert result["wrong"] == 1
    assert result["exchange"]["echoed"] == 0
    assert "parrot" in result["failures"][0]["example"]


def test_a_bad_connection_does_not_affect_the_others():
    connections = []

    async def serve(connection):
        connections.append(connection)
        if len(connections) == 2:
            await connection.close(1011)
        else:
            await echo(connection)

    with websocket_peer(serve) as url:
        result = load(url=url, workload=ECHO, connections=4)
    assert "close" in failures(result)
    assert result["connections"] == 4
    assert result["exchange"]["echoed"] > 0


def test_messages_due_on_unopened_connections_are_unsent():
    async def close(connection):
        await connection.close(1011)

    workload = {
        "kind": "echo",
        "schedule": {"kind": "constant", "rate_per_s": 100},
        "phases": {"warm_up_s": 0.2, "window_s": 0.2, "drain_s": 0.1},
    }
    with websocket_peer(close) as url:
        result = load(url=url, workload=workload)
    assert (result["exchange"]["sent"], result["exchange"]["unsent"]) == (0, 20)
