"""The published programs, section 4: servers that push."""

from contextlib import suppress

import pytest
from peers.program import LIMIT_S
from websockets.exceptions import ConnectionClosed

pytestmark = [pytest.mark.where("push"), pytest.mark.clause("published 4")]

TEXT = "grüezi 👋"


@pytest.mark.parametrize("messages", [1, 20_000])
def test_a_push_has_the_number_of_the_path_and_no_end(starter, messages):
    with (
        starter.start(PUSH=TEXT) as server,
        server.connect(f"/{messages}") as connection,
    ):
        received = {connection.recv(timeout=LIMIT_S) for _ in range(messages)}
        assert received == {TEXT}
        # A message after the last one would be before the pong.
        assert connection.ping().wait(LIMIT_S)
        with pytest.raises(TimeoutError):
            connection.recv(timeout=0)


def test_without_the_variable_there_is_no_push(starter):
    with starter.start() as server, server.connect("/5") as connection:
        with suppress(ConnectionClosed):
            connection.ping().wait(LIMIT_S)
        with pytest.raises((TimeoutError, ConnectionClosed)):
            connection.recv(timeout=0)
