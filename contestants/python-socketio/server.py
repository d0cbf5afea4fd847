"""Echoes, and sends a feed, with python-socketio: its ASGI server, on Uvicorn."""

import socket

import uvicorn
from autostrada_kit import ServerSettings, run_workers
from feed import Feeding
from socketio import ASGIApp, AsyncNamespace, AsyncServer

# The contract: by default the server takes 1 MB, and Uvicorn 16 MiB.
PACKET_BYTES_MAX = 32 * 1024 * 1024


class Echoing(AsyncNamespace):
    async def on_message(self, sid, message):
        await self.send(message, to=sid)


def serve():
    server = AsyncServer(
        async_mode="asgi",
        max_http_buffer_size=PACKET_BYTES_MAX,
        # The contract: off.
        http_compression=False,
    )
    server.register_namespace(Echoing("/echo"))
    server.register_namespace(Feeding(settings.feed))
    config = uvicorn.Config(
        ASGIApp(server),
        ssl_certfile=settings.tls_cert,
        ssl_keyfile=settings.tls_key,
        ws_max_size=PACKET_BYTES_MAX,
        # The contract: off where it is not asked for.
        ws_per_message_deflate=settings.deflate,
        # The contract: stdout is for its lines, and it ends within five seconds.
        access_log=False,
        log_level="warning",
        timeout_graceful_shutdown=1,
    )
    address = settings.host, settings.port
    listener = socket.create_server(address, reuse_port=settings.workers > 1)
    # As on a listener of its own: asyncio sets it where a socket names its protocol.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    uvicorn.Server(config).run(sockets=[listener])


settings = ServerSettings.from_environment()
run_workers(settings.workers, serve)
