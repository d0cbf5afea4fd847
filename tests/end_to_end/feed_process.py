"""
Serves or receives a feed with websockets, with the fault in FAULT.

It is started like a contestant, with the package of published programs on its path.
"""

import asyncio
import os
import sys
from contextlib import suppress

from autostrada_feeds import FeedSettings, Receiver, Subscribers
from autostrada_kit import ServerSettings
from websockets.asyncio.client import connect
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

FAULT = os.environ.get("FAULT", "")
FRAME = b"\x81\x010"
"""A text message with the content 0."""

PAUSE_S = 0.001


async def publish(feed):
    async for message in feed:
        if FAULT == "does not wait":
            for subscriber in feed.subscribed:
                subscriber.transport.write(FRAME)
            continue
        for subscriber in feed.subscribed:
            with suppress(ConnectionClosed):
                await subscriber.send(message)
    for subscriber in feed.subscribed:
        await subscriber.close()


async def serve_feeds():
    settings = ServerSettings.from_environment()
    subscribers = Subscribers(FeedSettings.from_environment(), publish)

    async def handle(subscriber):
        subscribed = subscribers.join(subscriber)
        await subscriber.wait_closed()
        subscribed.remove(subscriber)

    async with serve(handle, settings.host, settings.port) as server:
        await server.serve_forever()


async def receive_one(receiver):
    async with connect(receiver.url) as connection:
        received = receiver.opened()
        with suppress(ConnectionClosed):
            while True:
                received(await connection.recv())
                if FAULT == "is slow":
                    await asyncio.sleep(PAUSE_S)


async def receive_feed(receiver):
    connections = range(receiver.connections)
    await asyncio.gather(*(receive_one(receiver) for _ in connections))


def receive():
    receiver = Receiver.from_environment()
    asyncio.run(receive_feed(receiver))
    receiver.finish()


if sys.argv[1] == "server":
    asyncio.run(serve_feeds())
else:
    receive()
