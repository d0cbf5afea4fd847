"""Servers and clients of each library, with the same interface."""

from contextlib import contextmanager
from dataclasses import dataclass

from peers.node import described, made
from peers.websocket import PushWithAnswers, echo, talk, websocket_peer

LIBRARIES = ["websockets", "ws", "tungstenite"]


@dataclass(frozen=True)
class Received:
    """Received messages of a client, and the code with which its connection closed."""

    messages: list
    close_code: int


class Library:
    """One library; ``node`` and ``rust`` return the peers of these languages."""

    def __init__(self, name, *, node, rust):
        self.name = name
        self._node = node
        self._rust = rust

    @contextmanager
    def echo(self):
        """Serve echoes; yield the address."""
        match self.name:
            case "websockets":
                with websocket_peer(echo, max_size=None) as url:
                    yield url
            case "ws":
                with self._node().serve("ws_server") as server:
                    yield server.url
            case "tungstenite":
                with self._rust().serve() as server:
                    yield server.url

    @contextmanager
    def conversation(self, messages, *, ping=False, close=None):
        """
        Send messages, optionally with a ping after each; yield the address and a
        function.

        With ``close``, close with this code when all messages have come back. The
        function returns the received messages and the close code.
        """
        match self.name:
            case "websockets":
                peer = PushWithAnswers(messages, ping=ping, close=close)
                with websocket_peer(peer, max_size=None) as url:
                    yield url, peer.answers
            case "ws":
                settings = {"push": [described(message) for message in messages]}
                settings |= {"ping": ping, "close": close}
                with self._node().serve("ws_server", talk=settings) as server:
                    yield server.url, lambda: _answers_of(server.report())
            case "tungstenite":
                settings = {"push": [described(message) for message in messages]}
                settings["ping"] = ping
                if close is not None:
                    settings["close"] = [len(messages), close]
                with self._rust().serve(**settings) as server:
                    yield server.url, lambda: _answers_of(server.report())

    def talk(self, url, *, send=(), messages=None):
        """Send messages; receive this number, or all until the server closes."""
        if self.name == "websockets":
            received = talk(url, send=send, messages=messages)
            return Received(messages=received.messages, close_code=received.close_code)
        settings = {"url": url, "send": [described(message) for message in send]}
        settings["messages"] = messages
        if self.name == "ws":
            received = self._node().talk("ws_client", **settings)
        else:
            received = self._rust().talk(**settings)
        return Received(
            messages=[made(each) for each in received["messages"]],
            close_code=received["close_code"],
        )


def _answers_of(report):
    (connection,) = report
    messages = [made(each) for each in connection["messages"]]
    return messages, connection["pongs"], connection["close_code"]
