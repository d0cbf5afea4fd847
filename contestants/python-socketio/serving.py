"""Runs python-socketio's ASGI server on Uvicorn, for the contract and for feeds."""

import socket

import uvicorn
from socketio import ASGIApp, AsyncNamespace, AsyncServer


class Echoing(AsyncNamespace):
    async def on_message(self, sid, message):
        await self.send(message, to=sid)


def serve(settings, packet_bytes_max, *namespaces):
    server = AsyncServer(
        async_mode="asgi",
        max_http_buffer_size=packet_bytes_max,
        # Off, as the contract requires.
        http_compression=False,
    )
    for namespace in (Echoing("/echo"), *namespaces):
        server.register_namespace(namespace)
    config = uvicorn.Config(
        ASGIApp(server),
        ssl_certfile=settings.tls_cert,
        ssl_keyfile=settings.tls_key,
        ws_max_size=packet_bytes_max,
        # Off by default, as the contract requires.
        ws_per_message_deflate=settings.deflate,
        # The contract: stdout is for its lines only, and a server ends within 5 s.
        access_log=False,
        log_level="warning",
        timeout_graceful_shutdown=1,
    )
    listener = socket.create_server((settings.host, settings.port))
    # asyncio sets it only on sockets that it creates itself.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    uvicorn.Server(config).run(sockets=[listener])
