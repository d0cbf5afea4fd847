"""Opens a connection with Tornado, receives on it, and closes it."""

from tornado.websocket import WebSocketError, websocket_connect

# Exceptions of the library, when connecting and later.
Failure = (OSError, WebSocketError)


async def connect(url):
    # The contract requires 16 MiB; the library's default is 10 MiB.
    return await websocket_connect(url, max_message_size=16 * 1024 * 1024)


async def receive(websocket):
    message = await websocket.read_message()
    if message is None:
        raise ConnectionError(f"closed by the server with {websocket.close_code}")
    return message


async def close(websocket):
    websocket.close(1000)
    while await websocket.read_message() is not None:
        pass
