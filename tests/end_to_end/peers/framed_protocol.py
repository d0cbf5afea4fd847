"""Framed TCP for contestants, implemented by test peers: contract, clause 5.3."""

import socket
import struct
import threading
from collections import deque
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

from peers.background import LIMIT_S
from peers.engine import serving
from websockets.exceptions import ConnectionClosedError, ConnectionClosedOK

LENGTH = struct.Struct(">I")
CLOSED_NORMALLY = 1000
BROKEN_OFF = 1006
NARROW_BYTES = 64 * 1024


def open_socket(url, *, is_narrow):
    """Connect to the host of an address; a narrow socket's buffer does not grow."""
    parts = urlsplit(url)
    opened = socket.socket()
    if is_narrow:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, NARROW_BYTES)
    opened.connect((parts.hostname, parts.port))
    return opened


def frame(payload):
    """Return a message with its length prefix."""
    return LENGTH.pack(len(payload)) + payload


def encode(text):
    """Return a text's bytes; bytes that were decoded as surrogates are restored."""
    return text.encode(errors="surrogateescape")


class FramedTcpProtocol:
    """Framed TCP: four bytes of length and a payload; the first message is the path."""

    name = "framed-tcp"
    has_types = False

    def serving(self, **plan):
        """Run the engine as a server with a plan."""
        return serving(protocol={"kind": "framed-tcp"}, **plan)

    def load_plan(self, url, path):
        """Return the keys of a client's plan for a path: URL and protocol."""
        scheme = "tls" if url.startswith("wss") else "tcp"
        url = f"{scheme}://{urlsplit(url).netloc}{path}"
        return {"url": url, "protocol": {"kind": "framed-tcp"}}

    def address(self, url, path):
        """Return the address of a path, as a contestant receives it."""
        return f"{'wss' if url.startswith(('tls', 'wss')) else 'ws'}://" + (
            urlsplit(url).netloc + path
        )

    def is_proper(self, code):
        """Return whether a client closed properly: the protocol has no close codes."""
        return code is None

    def serve(self, handle):
        """Return a server that calls a function with each connection, in a thread."""
        return FramedServer(handle)

    def accept(self, connection):
        """Read the path; return the conversation, with messages as text."""
        connection.path = connection.recv(timeout=LIMIT_S)
        return connection

    @contextmanager
    def connect(
        self, url, *, compression=None, tls=None, encoding="json", is_narrow=False
    ):
        """Request a path, and yield the conversation."""
        parts = urlsplit(url)
        plain = open_socket(url, is_narrow=is_narrow)
        opened = (
            tls.wrap_socket(plain, server_hostname=parts.hostname) if tls else plain
        )
        with opened:
            conversation = FramedConversation(opened)
            opened.sendall(frame(parts.path.encode()))
            if parts.path == "/echo":
                conversation.types = deque()
            elif encoding == "binary":
                conversation.type = bytes
            with conversation.file:
                yield conversation
                conversation.close()

    def join_by_hand(self, peer, path):
        """Request a path over a socket, without reading."""
        peer.sendall(frame(path.encode()))


class FramedServer:
    """Accepts connections, with one thread for each."""

    def __init__(self, handle):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self._handle = handle
        self._threads = []

    def serve_forever(self):
        """Serve until the server is shut down."""
        with suppress(OSError):
            while True:
                connection, _ = self.socket.accept()
                thread = threading.Thread(target=self._serve, args=[connection])
                self._threads.append(thread)
                thread.start()
        for thread in self._threads:
            thread.join()

    def _serve(self, connection):
        conversation = FramedConversation(connection)
        with connection, conversation.file:
            self._handle(conversation)

    def shutdown(self):
        """Stop accepting."""
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


class FramedConversation:
    """
    Messages over a stream, which have no types.

    An answer of ``/echo`` has the type of the message that it answers, in order; other
    messages have the type that is expected of them.
    """

    def __init__(self, opened):
        self.socket = opened
        self.types = None
        self.type = str
        self.close_code = None
        self.file = opened.makefile("rb")

    def send(self, message):
        """Send a message; a text is sent as UTF-8."""
        if self.types is not None:
            self.types.append(type(message))
        payload = encode(message) if isinstance(message, str) else message
        try:
            self.socket.sendall(frame(payload))
        except OSError:
            self._end(BROKEN_OFF)

    def recv(self, timeout=None):
        """Return the next message."""
        payload = self._read(timeout)
        is_text = (self.type if self.types is None else self.types.popleft()) is str
        return payload.decode(errors="surrogateescape") if is_text else payload

    def _read(self, timeout):
        try:
            self.socket.settimeout(timeout)
            head = self.file.peek(1)
            self.socket.settimeout(LIMIT_S)
            head = head and self.file.read(LENGTH.size)
            payload = head and self.file.read(*LENGTH.unpack(head))
        except TimeoutError:
            # After a timeout, a file object refuses to read.
            self.file = self.socket.makefile("rb")
            self.socket.settimeout(LIMIT_S)
            raise
        except OSError:
            self._end(BROKEN_OFF)
        if not head:
            self._end(CLOSED_NORMALLY)
        return payload

    def _end(self, code):
        self.close_code = self.close_code or code
        if code == BROKEN_OFF:
            raise ConnectionClosedError(None, None)
        raise ConnectionClosedOK(None, None)

    def __iter__(self):
        with suppress(ConnectionClosedOK):
            while True:
                yield self.recv()

    def close(self, code=CLOSED_NORMALLY):
        """End the stream."""
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
