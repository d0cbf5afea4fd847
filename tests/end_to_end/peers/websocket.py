"""Servers and a client of Python's websockets."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass

from peers.background import LIMIT_S, in_background
from websockets.asyncio.client import connect
from websockets.asyncio.server import broadcast, serve, unix_serve
from websockets.exceptions import ConnectionClosed


def websocket_peer(handler, *, port=0, **settings):
    """Serve in the background; yield the address."""

    @asynccontextmanager
    async def server():
        scheme = "wss" if settings.get("ssl") else "ws"
        wanted = {"compression": None} | settings
        async with serve(handler, "127.0.0.1", port, **wanted) as listening:
            host, taken = listening.sockets[0].getsockname()
            yield f"{scheme}://{host}:{taken}"

    return in_background(server())


def unix_peer(handler, path):
    """Serve at a Unix socket in the background."""

    @asynccontextmanager
    async def server():
        async with unix_serve(handler, str(path), compression=None):
            yield

    return in_background(server())


async def idle(connection):
    """Wait until the client closes."""
    await connection.wait_closed()


def pushing(messages):
    """Return a handler that sends all messages, and waits until the client closes."""

    async def push(connection):
        for message in messages:
            await connection.send(message)
        await connection.wait_closed()

    return push


def broadcasting(messages, *, subscribers):
    """Return a handler that sends all messages to all clients, once all have joined."""
    connections = []

    async def join(connection):
        connections.append(connection)
        if len(connections) == subscribers:
            for message in messages:
                broadcast(connections, message)
        await connection.wait_closed()

    return join


class Echo:
    """Sends messages back; records all that it receives."""

    def __init__(self):
        self.connections = []
        self.messages = []

    async def __call__(self, connection):
        self.connections.append(connection)
        try:
            async for message in connection:
                self.messages.append(message)
                await connection.send(message)
        except ConnectionClosed:
            pass


class OpenConnections:
    """Waits until its clients close; stores their close codes."""

    def __init__(self):
        self.close_codes = []
        self.open = 0
        self.open_max = 0

    async def __call__(self, connection):
        self.open += 1
        self.open_max = max(self.open, self.open_max)
        await connection.wait_closed()
        self.open -= 1
        self.close_codes.append(connection.close_code)


@dataclass(frozen=True)
class Received:
    """All that a client has received, and what was negotiated."""

    messages: list
    extensions: str
    close_code: int
    tls: tuple | None
    """Cipher suite by its OpenSSL name, TLS version and number of bits; None: plain."""


def talk(url, *, send=(), messages=None, **settings):
    """Send messages; receive this number, or all until the server closes."""
    return asyncio.run(_talk(url, send, messages, settings))


async def _talk(url, send, messages, settings):
    received = []
    wanted = {"compression": None, "max_size": None} | settings
    async with asyncio.timeout(LIMIT_S), connect(url, **wanted) as connection:
        tls = connection.transport.get_extra_info("cipher")
        for message in send:
            await connection.send(message)
        if messages is None:
            received = [message async for message in connection]
        else:
            received = [await connection.recv() for _ in range(messages)]
    return Received(
        messages=received,
        extensions=connection.response.headers.get("Sec-WebSocket-Extensions", ""),
        close_code=connection.close_code,
        tls=tls,
    )
