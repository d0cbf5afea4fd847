"""Echoes messages and sends a feed with websockets' asyncio server."""

import asyncio
from contextlib import suppress

import uvloop
from autostrada_kit import ServerSettings, Subscribers, choose, run_workers
from server_threading import serve_threading
from websockets.asyncio.server import broadcast, serve
from websockets.exceptions import ConnectionClosed


async def publish(feed):
    async for message in feed:
        if feed.is_paced:
            # broadcast() never waits, so that no subscriber would limit the rate.
            for websocket in feed.subscribed:
                with suppress(ConnectionClosed):
                    await websocket.send(message)
        else:
            broadcast(feed.subscribed, message)
    await asyncio.gather(*(websocket.close() for websocket in feed.subscribed))


async def serve_asyncio(settings):
    subscribers = Subscribers(settings.feed, publish)

    async def handle(websocket):
        if websocket.request.path == "/feed":
            with subscribers.joined(websocket):
                await websocket.wait_closed()
        else:
            async for message in websocket:
                await websocket.send(message)

    async with serve(
        handle,
        settings.host,
        settings.port,
        ssl=settings.tls_context(),
        # The contract: off by default, and messages of up to 16 MiB.
        compression="deflate" if settings.deflate else None,
        max_size=settings.payload_bytes_max,
        reuse_port=settings.workers > 1,
    ) as server:
        await server.serve_forever()


def run():
    if choose("API", "asyncio", "threading") == "threading":
        serve_threading(settings)
    elif choose("LOOP", "asyncio", "uvloop") == "uvloop":
        uvloop.run(serve_asyncio(settings))
    else:
        asyncio.run(serve_asyncio(settings))


settings = ServerSettings.from_environment()
run_workers(settings.workers, run)
