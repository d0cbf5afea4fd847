"""Serves with Autobahn on asyncio."""

import asyncio

from autobahn.asyncio.websocket import WebSocketServerFactory, WebSocketServerProtocol
from serving import Connection, set_options


class AsyncioConnection(Connection, WebSocketServerProtocol):
    pass


async def serve(settings, protocol=AsyncioConnection, subscribers=None):
    factory = WebSocketServerFactory()
    factory.protocol, factory.subscribers = protocol, subscribers
    set_options(factory, settings)
    server = await asyncio.get_running_loop().create_server(
        factory,
        settings.host,
        settings.port,
        ssl=settings.tls_context(),
    )
    await server.serve_forever()
