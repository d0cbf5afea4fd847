"""Sends a feed with python-socketio's ASGI server on Uvicorn."""

import socket

import uvicorn
from autostrada_feeds import FeedSettings
from autostrada_kit import ServerSettings
from feed import Feeding
from socketio import ASGIApp, AsyncNamespace, AsyncServer

# The defaults are 1 MB (server) and 16 MiB (Uvicorn).
PACKET_BYTES_MAX = 32 * 1024 * 1024


class Echoing(AsyncNamespace):
    async def on_message(self, sid, message):
        await self.send(message, to=sid)


def serve():
    server = AsyncServer(
        async_mode="asgi",
        max_http_buffer_size=PACKET_BYTES_MAX,
        # Off, as the contract requires.
        http_compression=False,
    )
    server.register_namespace(Echoing("/echo"))
    server.register_namespace(Feeding(FeedSettings.from_environment()))
    config = uvicorn.Config(
        ASGIApp(server),
        ssl_certfile=settings.tls_cert,
        ssl_keyfile=settings.tls_key,
        ws_max_size=PACKET_BYTES_MAX,
        # Off by default, as the contract requires.
        ws_per_message_deflate=settings.deflate,
        # The contract: stdout is reserved for its lines, and a server ends within 5 s.
        access_log=False,
        log_level="warning",
        timeout_graceful_shutdown=1,
    )
    listener = socket.create_server((settings.host, settings.port))
    # asyncio sets it only on sockets that it creates itself.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    uvicorn.Server(config).run(sockets=[listener])


settings = ServerSettings.from_environment()
serve()
