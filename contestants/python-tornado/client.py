"""Receives messages with Tornado's WebSocket client."""

from contextlib import suppress

from autostrada_kit import CLOSE, REPLY, Client, run_tasks
from tornado.websocket import WebSocketClosedError, WebSocketError, websocket_connect

# The contract requires 16 MiB; the library's default is 10 MiB.
MESSAGE_BYTES_MAX = 16 * 1024 * 1024


async def receive(client):
    websocket = await websocket_connect(client.url, max_message_size=MESSAGE_BYTES_MAX)
    received = client.opened()
    while (message := await websocket.read_message()) is not None:
        action = received(message)
        if action == REPLY:
            is_binary = isinstance(message, bytes)
            with suppress(WebSocketClosedError):  # The next message is None.
                await websocket.write_message(message, is_binary)
        elif action == CLOSE:
            websocket.close(1000)


run_tasks(receive, Client.from_environment(), WebSocketError)
