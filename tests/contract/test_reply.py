"""The contract, clauses 3.1 to 3.4: clients that send each message back."""

import threading
from contextlib import closing

import pytest
from peers.expect import expect_answer, expect_count, expect_success
from peers.program import LIMIT_S
from peers.script_server import ScriptServer

pytestmark = [pytest.mark.where("reply"), pytest.mark.clause("3.2")]

CONNECTIONS = 3
TEXTS = ["", "grüezi 👋", "x" * 70_000]
BINARY = [b"", b"\x00\xff", bytes(range(256)) * 2_000]
NUMBERS = [str(number) for number in range(300)]


def messages_of(protocol):
    return [*TEXTS, *(BINARY if protocol.has_types else [])]


@pytest.fixture(scope="module")
def dialog(client):
    """Send messages to a client, once all connections are open; await the answers."""
    all_are_open = threading.Barrier(CONNECTIONS)

    def ask(connection):
        all_are_open.wait(LIMIT_S)
        for message in messages_of(client.protocol):
            connection.send(message)
            expect_answer(connection, message)
        for number in NUMBERS:
            connection.send(number)
        for number in NUMBERS:
            expect_answer(connection, number)
        connection.close()

    with closing(ScriptServer(client.protocol, ask)) as server:
        # The number of messages is for the verb count.
        given = {"VERB": "reply", "CONNECTIONS": str(CONNECTIONS), "MESSAGES": "1"}
        return server, client.run(URL=f"{server.url}/reply", **given)


def test_each_message_comes_back_on_connections_that_are_all_open(dialog):
    server, _ = dialog
    for _ in range(CONNECTIONS):
        server.result()


@pytest.mark.clause("3.3")
def test_its_result_has_the_messages_of_all_connections(client, dialog):
    _, finished = dialog
    expect_success(finished)
    (_,) = finished.lines
    expect_count(finished.result["connections"], CONNECTIONS, "connections")
    asked = len(messages_of(client.protocol)) + len(NUMBERS)
    expect_count(finished.result["messages"], CONNECTIONS * asked)
