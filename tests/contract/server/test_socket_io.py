"""The contract, clauses 4.2 and 5.1, for every server that speaks Socket.IO."""

import pytest
from peers.expect import expect_answer

pytestmark = [pytest.mark.where("Socket.IO"), pytest.mark.clause("5.1")]

INVALID_PACKETS = [
    *("", "9", "4", "49"),
    *("42/echo,[", '42/echo,"message"', "451-/echo,[]"),
    b"\x00",
]


@pytest.mark.where("polling")
@pytest.mark.parametrize("content", ["text", "binary"])
def test_messages_are_returned_by_polling(server, content):
    server.exchange(content=content, session={"transport": "polling"})


@pytest.mark.clause("4.2")
def test_an_invalid_packet_ends_at_most_its_session(server):
    with server.connect("/echo") as stays:
        for packet in INVALID_PACKETS:
            with server.connect("/echo") as other:
                other.connection.send(packet)
        stays.send("still here")
        expect_answer(stays, "still here")
