"""Echoes messages and sends a feed with websockets' threading server."""

import socket
from contextlib import suppress

from autostrada_kit import ThreadedSubscribers
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import serve


def serve_threading(settings):
    subscribers = ThreadedSubscribers(settings.feed)

    def handle(websocket):
        with suppress(ConnectionClosed):
            if websocket.request.path == "/feed":
                for message in subscribers.messages():
                    websocket.send(message)
            else:
                for message in websocket:
                    websocket.send(message)

    listener = socket.create_server(
        (settings.host, settings.port), reuse_port=settings.workers > 1
    )
    with serve(
        handle,
        sock=listener,
        ssl=settings.tls_context(),
        # The contract: off by default, and messages of up to 16 MiB.
        compression="deflate" if settings.deflate else None,
        max_size=settings.payload_bytes_max,
    ) as server:
        server.serve_forever()
