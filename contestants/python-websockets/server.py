"""Serves with websockets' asyncio server."""

import asyncio
from http import HTTPStatus

import uvloop
from autostrada_kit import ServerSettings, choose
from server_threading import serve_threading
from websockets.asyncio.server import broadcast, serve

subscribers = set()


async def echo(websocket):
    async for message in websocket:
        await websocket.send(message)


async def publish(websocket):
    async for message in websocket:
        broadcast(subscribers, message)


async def subscribe(websocket):
    subscribers.add(websocket)
    try:
        async for _ in websocket:
            pass
    finally:
        subscribers.discard(websocket)


HANDLERS = {"/echo": echo, "/publish": publish, "/subscribe": subscribe}


def refuse(connection, request):
    if request.path not in HANDLERS:
        return connection.respond(HTTPStatus.NOT_FOUND, "")
    return None


async def serve_asyncio(settings):
    async with serve(
        lambda websocket: HANDLERS[websocket.request.path](websocket),
        settings.host,
        settings.port,
        process_request=refuse,
        ssl=settings.tls_context(),
        # The contract: off by default, and messages of up to 16 MiB.
        compression="deflate" if settings.deflate else None,
        max_size=settings.message_bytes_max,
    ) as server:
        await server.serve_forever()


def run():
    if choose("API", "asyncio", "threading") == "threading":
        serve_threading(settings, refuse)
    elif choose("LOOP", "asyncio", "uvloop") == "uvloop":
        uvloop.run(serve_asyncio(settings))
    else:
        asyncio.run(serve_asyncio(settings))


settings = ServerSettings.from_environment()
run()
