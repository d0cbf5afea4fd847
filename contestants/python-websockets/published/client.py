"""Receives and checks a feed with websockets' asyncio client or threading client."""

import websockets.asyncio.client
import websockets.sync.client
from autostrada_feeds import Receiver
from autostrada_kit import choose, run_tasks, run_threads
from ending import ending
from websockets.exceptions import WebSocketException

# The contract requires messages of up to 16 MiB, and no compression, which the library
# would offer.
SETTINGS = {"max_size": 16 * 1024 * 1024, "compression": None}


async def receive_asyncio(receiver):
    connect = websockets.asyncio.client.connect
    async with connect(receiver.url, **SETTINGS) as websocket:
        received = receiver.opened()
        with ending():
            async for message in websocket:
                if received(message):
                    break


def receive_threading(receiver):
    connect = websockets.sync.client.connect
    with connect(receiver.url, **SETTINGS) as websocket:
        received = receiver.opened()
        with ending():
            for message in websocket:
                if received(message):
                    break


receiver = Receiver.from_environment()
if choose("API", "asyncio", "threading") == "asyncio":
    run_tasks(receive_asyncio, receiver, WebSocketException)
else:
    run_threads(receive_threading, receiver, WebSocketException)
