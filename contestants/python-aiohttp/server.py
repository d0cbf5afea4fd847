"""Serves with aiohttp's web server."""

import asyncio
from contextlib import suppress

from aiohttp import WSMsgType, web
from autostrada_kit import ServerSettings

subscribers = set()
"""The queues of the subscribers."""


async def open_websocket(request):
    # The contract requires compression to be off by default, and messages of up to 16
    # MiB. The library rejects messages as long as the limit.
    websocket = web.WebSocketResponse(
        compress=settings.deflate, max_msg_size=settings.message_bytes_max + 1
    )
    await websocket.prepare(request)
    return websocket


async def send(websocket, message):
    if message.type == WSMsgType.TEXT:
        await websocket.send_str(message.data)
    elif message.type == WSMsgType.BINARY:
        await websocket.send_bytes(message.data)


async def echo(request):
    websocket = await open_websocket(request)
    async for message in websocket:
        await send(websocket, message)
    return websocket


async def publish(request):
    websocket = await open_websocket(request)
    async for message in websocket:
        for messages in subscribers:
            messages.put_nowait(message)
    return websocket


async def subscribe(request):
    websocket = await open_websocket(request)
    messages = asyncio.Queue()
    subscribers.add(messages)
    sending = asyncio.create_task(send_all(websocket, messages))
    try:
        async for _ in websocket:
            pass
    finally:
        subscribers.discard(messages)
        sending.cancel()
    return websocket


async def send_all(websocket, messages):
    with suppress(ConnectionResetError):
        while True:
            await send(websocket, await messages.get())


def serve():
    app = web.Application()
    handlers = {"/echo": echo, "/publish": publish, "/subscribe": subscribe}
    app.add_routes([web.get(path, handler) for path, handler in handlers.items()])
    web.run_app(
        app,
        host=settings.host,
        port=settings.port,
        ssl_context=settings.tls_context(),
        handle_signals=False,  # The handler would wait for all connections.
        print=None,
    )


settings = ServerSettings.from_environment()
serve()
