"""Receives messages with websockets' asyncio client or threading client."""

import websockets.asyncio.client
import websockets.sync.client
from autostrada_kit import CLOSE, REPLY, Client, choose, run_tasks, run_threads
from ending import ending
from websockets.exceptions import WebSocketException


async def receive_asyncio(client):
    connect = websockets.asyncio.client.connect
    async with connect(client.url, **SETTINGS) as websocket:
        received = client.opened()
        with ending():
            async for message in websocket:
                action = received(message)
                if action == REPLY:
                    await websocket.send(message)
                elif action == CLOSE:
                    break


def receive_threading(client):
    connect = websockets.sync.client.connect
    with connect(client.url, **SETTINGS) as websocket:
        received = client.opened()
        with ending():
            for message in websocket:
                action = received(message)
                if action == REPLY:
                    websocket.send(message)
                elif action == CLOSE:
                    break


client = Client.from_environment()
# The contract requires messages of up to 16 MiB, and no compression by default, which
# the library would offer.
SETTINGS = {"max_size": 16 * 1024 * 1024}
if not client.deflate:
    SETTINGS["compression"] = None
if choose("API", "asyncio", "threading") == "asyncio":
    run_tasks(receive_asyncio, client, WebSocketException)
else:
    run_threads(receive_threading, client, WebSocketException)
