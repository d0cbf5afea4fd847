"""Messages of other libraries' servers are sent back until the servers close."""

import pytest
from peers.engine import failures, load
from peers.socket_io import SocketIoPeer, socket_io_peer

MESSAGES = ["", "grüezi", b"", b"\x00\xff", "a" * 40_000, b"\x00" * 65_536]


class Listener(SocketIoPeer):
    """Sends messages and stores the answers."""

    async def _echo(self, sid, message):
        self.messages.append(message)


def answer(url, *, window_s=600, **settings):
    """Send back what a server sends; return the result."""
    workload = {"kind": "answer", "phases": {"window_s": window_s}}
    return load(url=url, workload=workload, **settings)


@pytest.mark.parametrize("close_code", [1000, 1001, 4000])
def test_messages_are_sent_back_in_order_until_the_server_closes(library, close_code):
    with library.conversation(MESSAGES, close=close_code) as (url, answers):
        result = answer(url)
        assert answers() == (MESSAGES, 0, close_code)
    assert (result["ended"], result["failures"]) == ("closed", [])
    assert result["messages"] == result["answered"] == len(MESSAGES)
    sizes = [len(m.encode() if isinstance(m, str) else m) for m in MESSAGES]
    assert result["bytes"] == sum(sizes)
    assert result["exchange"] is None


def test_fragments_are_sent_back_as_one_message(library):
    fragments = [["hel", "lo", "", " wörld"]] * 3
    with library.conversation(fragments, close=1000) as (url, answers):
        result = answer(url)
        assert answers() == (["hello wörld"] * 3, 0, 1000)
    assert (result["answered"], result["failures"]) == (3, [])


def test_pings_in_between_are_answered(library):
    with library.conversation(MESSAGES, ping=True, close=1000) as (url, answers):
        result = answer(url)
        messages, pongs, _ = answers()
    assert (messages, pongs) == (MESSAGES, len(MESSAGES))
    assert result["failures"] == []


def test_the_longest_message_is_sent_back(library):
    message = bytes(64 * 1024**2)
    with library.conversation([message], close=1000) as (url, answers):
        result = answer(url)
        assert answers() == ([message], 0, 1000)
    assert (result["bytes"], result["failures"]) == (len(message), [])


def test_a_server_that_does_not_close_is_closed_by_the_client(library):
    with library.conversation(["hello"]) as (url, answers):
        result = answer(url, window_s=0.3)
        assert answers() == (["hello"], 0, 1000)
    assert (result["ended"], result["answered"]) == ("complete", 1)
    assert failures(result) == {}


@pytest.mark.parametrize("message", ["grüezi", b"\x00\x01"], ids=["text", "binary"])
def test_events_of_socket_io_are_sent_back(message):
    peer = Listener(namespace="/push", push=[message] * 6)
    protocol = {"kind": "socket-io", "namespace": "/push"}
    with socket_io_peer(peer):
        result = answer(peer.url, window_s=0.5, protocol=protocol)
    assert peer.messages == [message] * 6
    assert (result["messages"], result["answered"]) == (6, 6)
    assert result["failures"] == []
