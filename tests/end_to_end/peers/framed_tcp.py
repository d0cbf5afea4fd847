"""Framed TCP as in docs/format.md: four bytes of length, then the payload."""

import socket
import struct
from contextlib import contextmanager
from urllib.parse import urlsplit

from peers.background import LIMIT_S, stream_peer


def framed_peer(handler, *, ssl=None):
    """Serve in the background; yield the address."""
    scheme = "tls" if ssl else "tcp"
    return stream_peer(lambda *streams: handler(Frames(*streams)), scheme, ssl=ssl)


class Frames:
    """The messages of one connection of a server."""

    def __init__(self, reader, writer):
        self._reader = reader
        self._writer = writer

    async def receive(self):
        (length,) = struct.unpack(">I", await self._reader.readexactly(4))
        return await self._reader.readexactly(length)

    async def send(self, payload):
        self._writer.write(struct.pack(">I", len(payload)) + payload)
        await self._writer.drain()


async def echo(frames):
    """Send each message back."""
    while True:
        await frames.send(await frames.receive())


class FramedClient:
    """A client with blocking calls."""

    def __init__(self, connection):
        self._connection = connection
        self._file = connection.makefile("rb")

    def send(self, payload):
        self._connection.sendall(struct.pack(">I", len(payload)) + payload)

    def receive(self):
        """Return the next message; ``None`` at the end of the stream."""
        head = self._file.read(4)
        if not head:
            return None
        (length,) = struct.unpack(">I", head)
        return self._file.read(length)

    def close(self):
        self._file.close()


@contextmanager
def framed_client(url, path, *, ssl=None):
    """Connect and request a path."""
    address = urlsplit(url)
    with socket.create_connection((address.hostname, address.port), LIMIT_S) as plain:
        wrapped = ssl.wrap_socket(plain, server_hostname="localhost") if ssl else plain
        with wrapped:
            client = FramedClient(wrapped)
            client.send(path.encode())
            try:
                yield client
            finally:
                client.close()
