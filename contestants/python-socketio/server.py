"""Serves with python-socketio's ASGI server on Uvicorn."""

import socket

import uvicorn
from autostrada_kit import ServerSettings
from socketio import ASGIApp, AsyncNamespace, AsyncServer

# The contract requires messages of up to 16 MiB. A byte has up to six in JSON; the
# defaults are 1 MB (server) and 16 MiB (Uvicorn).
PACKET_BYTES_MAX = 7 * ServerSettings.message_bytes_max


class Echoing(AsyncNamespace):
    async def on_message(self, sid, message):
        await self.send(message, to=sid)


class Publishing(AsyncNamespace):
    async def on_message(self, _, message):
        await self.server.send(message, namespace="/subscribe")


def serve():
    server = AsyncServer(
        async_mode="asgi",
        max_http_buffer_size=PACKET_BYTES_MAX,
        # Off, as the contract requires.
        http_compression=False,
    )
    server.register_namespace(Echoing("/echo"))
    server.register_namespace(Publishing("/publish"))
    server.register_namespace(AsyncNamespace("/subscribe"))
    config = uvicorn.Config(
        ASGIApp(server),
        ssl_certfile=settings.tls_cert,
        ssl_keyfile=settings.tls_key,
        ws_max_size=PACKET_BYTES_MAX,
        # Off by default, as the contract requires.
        ws_per_message_deflate=settings.deflate,
        # The contract: a server prints nothing, and ends within 5 s.
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
