"""Sends a feed with socketify: publish and subscribe."""

import asyncio
from functools import partial

from autostrada_feeds import Subscribers
from socketify import OpCode
from subscriber import Subscriber


async def close(subscriber):
    # Beyond the limit of buffered data, the library would drop the close frame, too.
    await subscriber.wait_for_room()
    if subscriber.ws:
        subscriber.ws.end(1000, "")


async def publish(app, compress, feed):
    async for message in feed:
        if feed.is_paced:
            for subscriber in feed.subscribed:
                await subscriber.wait_for_room()
        opcode = OpCode.TEXT if isinstance(message, str) else OpCode.BINARY
        app.publish("feed", message, opcode, compress)
    await asyncio.gather(*map(close, feed.subscribed))


def feed_handlers(app, compress, settings):
    subscribers = Subscribers(
        settings,
        partial(publish, app, compress),
        # Scheduled, because the library would start a coroutine at once.
        run=partial(app.loop.loop.call_soon, app.run_async),
    )

    def upgrade(response, request, socket_context):
        names = ("key", "protocol", "extensions")
        headers = [request.get_header(f"sec-websocket-{name}") for name in names]
        response.upgrade(*headers, socket_context, Subscriber())

    def join(ws):
        ws.subscribe("feed")
        subscriber = ws.get_user_data()
        subscriber.ws = ws
        subscriber.subscribers = subscribers.join(subscriber)

    def leave(ws, code, message):
        subscriber = ws.get_user_data()
        subscriber.ws = None
        subscriber.subscribers.remove(subscriber)

    return {"upgrade": upgrade, "open": join, "close": leave}
