"""Messages of other libraries' servers are sent back."""

import pytest
from peers.engine import failures, load
from peers.socket_io import SocketIoPeer, socket_io_peer
from peers.websocket import PushWithAnswers, websocket_peer


class Listener(SocketIoPeer):
    """Sends messages to each client and stores the answers."""

    def __init__(self, push):
        super().__init__()
        self._push = push
        self._server.on("connect", self._connect)

    async def _connect(self, sid, environ):
        self._server.start_background_task(self._send_all, sid)

    async def _send_all(self, sid):
        for message in self._push:
            await self._server.emit("message", message, to=sid)

    async def _echo(self, sid, message):
        self.messages.append(message)


def answer(url, *, window_s, **settings):
    """Send back what a server sends; return the result."""
    workload = {"kind": "answer", "phases": {"window_s": window_s}}
    return load(url=url, workload=workload, **settings)


def test_a_server_that_does_not_close_is_closed_by_the_client():
    peer = PushWithAnswers(["hello"])
    with websocket_peer(peer) as url:
        result = answer(url, window_s=0.3)
        assert peer.answers() == (["hello"], 1, 1000)
    assert (result["ended"], result["answered"]) == ("complete", 1)
    assert failures(result) == {}


@pytest.mark.parametrize("message", ["grüezi", b"\x00\x01"], ids=["text", "binary"])
def test_events_of_socket_io_are_sent_back(message):
    peer = Listener([message] * 6)
    protocol = {"kind": "socket-io"}
    with socket_io_peer(peer):
        result = answer(peer.url, window_s=0.5, protocol=protocol)
    assert peer.messages == [message] * 6
    assert (result["messages"], result["answered"]) == (6, 6)
    assert result["failures"] == []
