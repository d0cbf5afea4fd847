"""Echoes messages and sends a feed with aiohttp's web server."""

from aiohttp import WSMsgType, web
from autostrada_kit import QueuedSubscribers, ServerSettings, run_workers
from feed import subscribe

SUBSCRIBERS = web.AppKey("subscribers", QueuedSubscribers)


async def open_websocket(request):
    # The contract requires compression to be off by default, and messages of up to 16
    # MiB. The library rejects messages as long as the limit.
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
    await subscribe(websocket, request.app[SUBSCRIBERS])
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
        handle_signals=False,  # The handler would wait for all connections.
        print=None,
    )


settings = ServerSettings.from_environment()
run_workers(settings.workers, serve)
