"""Sends a feed with Autobahn on asyncio."""

import asyncio
from contextlib import suppress
from functools import partial

from autobahn.asyncio.websocket import WebSocketServerProtocol
from autobahn.exception import Disconnected
from autostrada_feeds import Subscribers
from connection import Connection, encode


class AsyncioConnection(Connection, WebSocketServerProtocol):
    """A connection with asyncio's flow control: the library has none of its own."""

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


def make_subscribers(feed, send):
    return Subscribers(feed, partial(publish, send))


async def publish(send, feed):
    async def send_one(subscriber, payload, is_binary):
        if feed.is_paced:
            await subscriber.has_room.wait()
        with suppress(Disconnected):
            subscriber.sendMessage(payload, is_binary)

    async for message in feed:
        encoded = encode(message)
        sending = [send_one(subscriber, *encoded) for subscriber in feed.subscribed]
        if send == "async":
            await asyncio.gather(*sending)  # A task for each subscriber.
        else:
            for each in sending:
                await each
    for subscriber in feed.subscribed:
        subscriber.sendClose(1000)
