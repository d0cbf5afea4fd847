"""Framed TCP as in docs/format.md: four bytes of length, then the payload."""

import struct

from peers.background import stream_peer


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
