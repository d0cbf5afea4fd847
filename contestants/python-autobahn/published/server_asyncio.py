"""Sends a feed with Autobahn on asyncio."""

import asyncio
from functools import partial

from autobahn.asyncio.websocket import WebSocketServerFactory
from autostrada_feeds import Subscribers
from feed_asyncio import AsyncioConnection, publish
from serving import set_options


async def serve(settings, feed, send):
    factory = WebSocketServerFactory()
    factory.protocol = AsyncioConnection
    factory.subscribers = Subscribers(feed, partial(publish, send))
    set_options(factory, settings)
    server = await asyncio.get_running_loop().create_server(
        factory,
        settings.host,
        settings.port,
        ssl=settings.tls_context(),
    )
    await server.serve_forever()
