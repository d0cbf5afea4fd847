"""Echoes, and sends a feed to subscribers, with aiohttp: its web server."""

from aiohttp import WSMsgType, web
from autostrada_kit import QueuedSubscribers, ServerSettings, run_workers
from feed import attend

SUBSCRIBERS = web.AppKey("subscribers", QueuedSubscribers)


async def open_websocket(request):
    # The contract: off where it is not asked for, and messages of 16 MiB. The library
    # refuses those that have the limit's length.
    websocket = web.WebSocketResponse(
        compress=settings.deflate, max_msg_size=settings.payload_bytes_max + 1
    )
    await websocket.prepare(request)
    return websocket


async def echo(request):
    websocket = await open_websocket(request)
    async for message in websocket:
        if message.type == WSMsgType.TEXT:
            await websocket.send_str(message.data)
        elif message.type == WSMsgType.BINARY:
            await websocket.send_bytes(message.data)
    return websocket


async def feed(request):
    websocket = await open_websocket(request)
    await attend(websocket, request.app[SUBSCRIBERS])
    return websocket


def serve():
    app = web.Application()
    app[SUBSCRIBERS] = QueuedSubscribers(settings.feed)
    app.add_routes([web.get("/echo", echo), web.get("/feed", feed)])
    web.run_app(
        app,
        host=settings.host,
        port=settings.port,
        ssl_context=settings.tls_context(),
        reuse_port=settings.workers > 1,
        handle_signals=False,  # It would wait for all connections to end.
        print=None,
    )


settings = ServerSettings.from_environment()
run_workers(settings.workers, serve)
