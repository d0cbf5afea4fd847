"""Servers and clients of each library, which do the same whatever it is."""

from contextlib import contextmanager
from dataclasses import dataclass

from peers.node import described, made
from peers.websocket import PushingBack, echo, talk, websocket_peer

LIBRARIES = ["websockets", "ws", "tungstenite"]


@dataclass(frozen=True)
class Heard:
    """What a client has received, and the code with which its connection was closed."""

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
        Send messages, a ping after each if wanted; yield the address and a function.

        With ``close``, close with this code when as many have come back. The function
        returns what has come back, and the code with which it ended.
        """
        match self.name:
            case "websockets":
                peer = PushingBack(messages, ping=ping, close=close)
                with websocket_peer(peer, max_size=None) as url:
                    yield url, peer.seen
            case "ws":
                settings = {"push": [described(message) for message in messages]}
                settings |= {"ping": ping, "close": close}
                with self._node().serve("ws_server", talk=settings) as server:
                    yield server.url, lambda: _seen(server.report())
            case "tungstenite":
                settings = {"push": [described(message) for message in messages]}
                settings["ping"] = ping
                if close is not None:
                    settings["close"] = [len(messages), close]
                with self._rust().serve(**settings) as server:
                    yield server.url, lambda: _seen(server.report())

    def talk(self, url, *, send=(), messages=None):
        """Send some messages; receive so many, or all until the server closes."""
        if self.name == "websockets":
            heard = talk(url, send=send, messages=messages)
            return Heard(messages=heard.messages, close_code=heard.close_code)
        settings = {"url": url, "send": [described(message) for message in send]}
        settings["messages"] = messages
        if self.name == "ws":
            heard = self._node().talk("ws_client", **settings)
        else:
            heard = self._rust().talk(**settings)
        return Heard(
            messages=[made(each) for each in heard["messages"]],
            close_code=heard["close_code"],
        )


def _seen(report):
    (connection,) = report
    messages = [made(each) for each in connection["messages"]]
    return messages, connection["pongs"], connection["close_code"]
