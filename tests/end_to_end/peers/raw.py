"""A server that sends exactly the bytes of a test's script to every client."""

import asyncio
import base64
import hashlib
import re
import socket
import struct

from peers.background import stream_peer

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def raw_peer(script):
    """Run a script with each connection in the background; yield the address."""
    return stream_peer(lambda *streams: script(Wire(*streams)), "ws")


class Wire:
    """One connection of a raw server."""

    def __init__(self, reader, writer):
        self.reader = reader
        self.writer = writer

    async def read_request(self):
        """Return the head of the request."""
        return await self.reader.readuntil(b"\r\n\r\n")

    async def upgrade(self, then=b"", *, after_s=0):
        """Answer the opening handshake, optionally late and with further bytes."""
        request = await self.read_request()
        await asyncio.sleep(after_s)
        key = re.search(rb"(?i)sec-websocket-key: *(\S+)", request)[1]
        accept = base64.b64encode(hashlib.sha1(key + GUID).digest())
        self.writer.write(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
            b"Connection: Upgrade\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n"
        )
        await self.send(then)

    async def send(self, content):
        self.writer.write(content)
        await self.writer.drain()

    async def read_to_end(self):
        while await self.reader.read(65_536):
            pass

    def reset(self):
        """Make the next close a TCP reset."""
        linger = struct.pack("ii", 1, 0)
        connection = self.writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)


def text_frame(text):
    """Return a short text message in one frame."""
    return bytes([0x81, len(text.encode())]) + text.encode()
