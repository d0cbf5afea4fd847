"""Serves with websockets' threading server."""

import threading
from contextlib import suppress
from queue import SimpleQueue

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import serve

subscribers = set()
"""The queues of the subscribers."""
lock = threading.Lock()


def echo(websocket):
    for message in websocket:
        websocket.send(message)


def publish(websocket):
    for message in websocket:
        with lock:
            for messages in subscribers:
                messages.put(message)


def subscribe(websocket):
    messages = SimpleQueue()
    threading.Thread(target=send_all, args=(websocket, messages)).start()
    with lock:
        subscribers.add(messages)
    try:
        for _ in websocket:
            pass
    finally:
        with lock:
            subscribers.discard(messages)
        messages.put(None)


def send_all(websocket, messages):
    with suppress(ConnectionClosed):
        for message in iter(messages.get, None):
            websocket.send(message)


HANDLERS = {"/echo": echo, "/publish": publish, "/subscribe": subscribe}


def handle(websocket):
    with suppress(ConnectionClosed):
        HANDLERS[websocket.request.path](websocket)


def serve_threading(settings, refuse):
    with serve(
        handle,
        settings.host,
        settings.port,
        process_request=refuse,
        ssl=settings.tls_context(),
        # The contract: off by default, and messages of up to 16 MiB.
        compression="deflate" if settings.deflate else None,
        max_size=settings.message_bytes_max,
    ) as server:
        server.serve_forever()
