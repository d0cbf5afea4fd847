"""Protocols of contestants, implemented by test peers: contract, section 5."""

import json
import re
import socket
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

from peers.background import LIMIT_S
from peers.encrypted import connect_encrypted
from peers.engine import serving
from peers.framed_protocol import FramedTcpProtocol, open_socket
from peers.socket_io import RoutingPeer, socket_io_peer
from websockets.exceptions import ConnectionClosed, ConnectionClosedOK
from websockets.sync.client import connect
from websockets.sync.server import serve

CLOSED_NORMALLY = 1000
NO_CODE = 1005
EVENT = "message"
OPEN = '0{"sid":"session","upgrades":[],"pingInterval":25000,"pingTimeout":20000}'
PACKET = re.compile(
    r"4(?P<kind>[0-6])((?P<attachments>\d+)-)?((?P<namespace>/[^,]*),)?"
    r"(?P<number>\d*)(?P<data>.*)",
    re.DOTALL,
)


class WebSocketProtocol:
    """WebSocket: a message is a message."""

    name = "websocket"
    has_types = True

    def serving(self, **plan):
        """Run the engine as a server with a plan."""
        return serving(**plan)

    def load_plan(self, url, path):
        """Return the keys of a client's plan for a path: the URL."""
        return {"url": url + path}

    def address(self, url, path):
        """Return the address of a path, as a contestant receives it."""
        return url + path

    def is_proper(self, code):
        """Return whether a client of the protocol closed properly."""
        return code == CLOSED_NORMALLY

    def serve(self, handle):
        """Return a server that calls a function with each connection, in a thread."""
        return serve(handle, "127.0.0.1", 0, max_size=None)

    def accept(self, connection):
        """Return a conversation with the client of a connection of websockets."""
        return connection

    @contextmanager
    def connect(
        self, url, *, compression=None, tls=None, encoding="json", is_narrow=False
    ):
        """Connect to a path, and yield the conversation."""
        with open_connection(url, compression, tls, is_narrow) as connection:
            yield connection

    def join_by_hand(self, peer, path):
        """Request a path over a socket, and read only the start of the answer."""
        ask_for_upgrade(peer, path)


class SocketIoProtocol:
    """Socket.IO over WebSocket: a path is a namespace, a message an event."""

    name = "socketio"
    has_types = True
    engine_io_version = 4
    binary_prefix = b""

    def serving(self, *, connections=None, workload=None, **settings):
        """Run a server that does the same as the engine with a plan."""
        payload = (workload or {}).get("payload", {})
        return socket_io_peer(RoutingPeer(**payload, **settings))

    def load_plan(self, url, path, **protocol):
        """Return the keys of a client's plan for a namespace: URL and protocol."""
        return {
            "url": url,
            "protocol": {"kind": "socket-io", "namespace": path} | protocol,
        }

    def address(self, url, path):
        """Return the address of a namespace, as a contestant receives it."""
        return url.replace("http", "ws", 1) + path

    def is_proper(self, code):
        """Return whether a client of the protocol closed properly, also by leaving."""
        return code in (None, CLOSED_NORMALLY)

    serve = WebSocketProtocol.serve

    def accept(self, connection):
        """Open a session, and grant the requested namespace."""
        connection.send(OPEN)
        namespace = asked_namespace(connection.recv(timeout=LIMIT_S))
        connection.send(f'40{namespace},{{"sid":"{namespace}"}}')
        return SocketIoConversation(connection, namespace, self.binary_prefix)

    @contextmanager
    def connect(
        self, url, *, compression=None, tls=None, encoding="json", is_narrow=False
    ):
        """Open a session with a namespace, and yield the conversation."""
        parts = urlsplit(url)
        url = f"{parts.scheme}://{parts.netloc}{self._target}"
        with open_connection(url, compression, tls, is_narrow) as connection:
            assert connection.recv(timeout=LIMIT_S).startswith("0{")
            self._greet(connection)
            connection.send(f"40{parts.path},")
            granted = connection.recv(timeout=LIMIT_S)
            if not granted.startswith(f"40{parts.path},"):
                raise ConnectionRefusedError(granted)
            conversation = SocketIoConversation(
                connection, parts.path, self.binary_prefix
            )
            yield conversation
            conversation.close()

    @property
    def _target(self):
        return f"/socket.io/?EIO={self.engine_io_version}&transport=websocket"

    def _greet(self, connection):
        """Read what a server sends between the session and the namespace: nothing."""

    def join_by_hand(self, peer, path):
        """Request a namespace over a socket, without reading further."""
        ask_for_upgrade(peer, self._target)
        text = f"40{path},".encode()
        peer.sendall(bytes([0x81, 0x80 | len(text)]) + bytes(4) + text)


class SocketIo2Protocol(SocketIoProtocol):
    """
    Socket.IO 2: the server grants the default namespace before any request.

    There is no server that does the same as the engine with a plan.
    """

    name = "socketio2"
    engine_io_version = 3
    binary_prefix = b"\x04"
    serving = None

    def load_plan(self, url, path, **protocol):
        """Return the keys of a client's plan for a namespace: URL and protocol."""
        return super().load_plan(url, path, engine_io_version=3, **protocol)

    def accept(self, connection):
        """Open a session, and grant the default and the requested namespace."""
        connection.send(OPEN)
        connection.send("40")
        namespace = asked_namespace(connection.recv(timeout=LIMIT_S))
        connection.send(f"40{namespace},")
        return SocketIoConversation(connection, namespace, self.binary_prefix)

    def _greet(self, connection):
        assert connection.recv(timeout=LIMIT_S) == "40"


def open_connection(url, compression, tls, is_narrow):
    # Without pings, so that a late peer is not closed.
    settings = {"compression": compression, "max_size": None, "ping_interval": None}
    if is_narrow:
        settings |= {"max_queue": 1, "sock": open_socket(url, is_narrow=True)}
    return (
        connect_encrypted(url, ssl=tls, **settings) if tls else connect(url, **settings)
    )


PROTOCOLS = {
    each.name: each
    for each in (
        WebSocketProtocol(),
        SocketIoProtocol(),
        SocketIo2Protocol(),
        FramedTcpProtocol(),
    )
}


def ask_for_upgrade(peer, path):
    peer.sendall(
        f"GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
    )
    assert peer.recv(4, socket.MSG_WAITALL) == b"HTTP"


def asked_namespace(packet):
    match = PACKET.fullmatch(packet)
    assert match["kind"] == "0", packet
    return match["namespace"]


class SocketIoConversation:
    """A granted namespace on a connection of websockets, with messages as events."""

    def __init__(self, connection, namespace, binary_prefix):
        self.connection = connection
        self.namespace = namespace
        self.binary_prefix = binary_prefix
        self.has_left = False

    @property
    def response(self):
        return self.connection.response

    @property
    def socket(self):
        return self.connection.socket

    @property
    def close_code(self):
        """The close code; 1000 if the other end disconnects or gives no code."""
        code = self.connection.close_code
        is_proper = self.has_left or code == NO_CODE
        return CLOSED_NORMALLY if is_proper else code

    def send(self, message):
        """Send a message as an event."""
        if isinstance(message, str):
            arguments = json.dumps([EVENT, message], ensure_ascii=False)
            self.connection.send(f"42{self.namespace},{arguments}")
        else:
            arguments = json.dumps([EVENT, {"_placeholder": True, "num": 0}])
            self.connection.send(f"451-{self.namespace},{arguments}")
            self.connection.send(self.binary_prefix + message)

    def recv(self, timeout=None):
        """Return the next message; answer other packets."""
        while True:
            packet = self.connection.recv(timeout)
            if packet == "2":
                self.connection.send("3")
            elif match := PACKET.fullmatch(packet):
                if match["kind"] == "1":
                    self._leave()
                if match["kind"] in "25":
                    return self._message(match)
            elif packet == "1":
                self._leave()

    def _message(self, match):
        assert match["namespace"] == self.namespace
        event, message = json.loads(match["data"])
        assert event == EVENT
        if match["attachments"]:
            assert message == {"_placeholder": True, "num": 0}
            message = self.connection.recv(LIMIT_S)
            assert message.startswith(self.binary_prefix)
            message = message.removeprefix(self.binary_prefix)
        if match["number"]:
            self.connection.send(f"43{self.namespace},{match['number']}[]")
        return message

    def _leave(self):
        self.has_left = True
        self.connection.close()
        raise ConnectionClosedOK(None, None)

    def __iter__(self):
        with suppress(ConnectionClosedOK):
            while True:
                yield self.recv()

    def close(self, code=CLOSED_NORMALLY):
        """Disconnect the namespace, and close."""
        with suppress(ConnectionClosed):
            self.connection.send(f"41{self.namespace},")
        self.connection.close(code)
