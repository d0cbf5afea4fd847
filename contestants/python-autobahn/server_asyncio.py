"""Echoes, and feeds an audience, with Autobahn on asyncio."""

import asyncio
from contextlib import suppress
from functools import partial

from autobahn.asyncio.websocket import WebSocketServerFactory, WebSocketServerProtocol
from autobahn.exception import Disconnected
from autostrada_kit import Audience
from serving import Connection, encode, set_options


class AsyncioConnection(Connection, WebSocketServerProtocol):
    """The pace is that of asyncio's flow control: the library has none of its own."""

    def __init__(self):
        super().__init__()
        self.has_room = asyncio.Event()
        self.resume_writing()

    def pause_writing(self):
        self.has_room.clear()

    def resume_writing(self):
        self.has_room.set()

    def connection_lost(self, exc):
        self.resume_writing()
        super().connection_lost(exc)


async def publish(send, feed):
    async def send_one(member, payload, is_binary):
        if feed.is_continuous:
            await member.has_room.wait()
        with suppress(Disconnected):
            member.sendMessage(payload, is_binary)

    async for message in feed:
        sending = [send_one(member, *encode(message)) for member in feed.members]
        if send == "async":
            await asyncio.gather(*sending)  # A task for each member.
        else:
            for each in sending:
                await each
    for member in feed.members:
        member.sendClose(1000)


async def serve(settings, send):
    factory = WebSocketServerFactory()
    factory.protocol = AsyncioConnection
    factory.audience = Audience(settings.feed, partial(publish, send))
    set_options(factory, settings)
    server = await asyncio.get_running_loop().create_server(
        factory,
        settings.host,
        settings.port,
        ssl=settings.tls_context(),
        reuse_port=settings.workers > 1,
    )
    await server.serve_forever()
