"""Exchanges echoes with websockets' asyncio client or threading client."""

import asyncio

import websockets.asyncio.client
import websockets.sync.client
from autostrada_kit import Exchanger, call_on_threads
from websockets.exceptions import WebSocketException


async def exchange_asyncio(exchanger):
    # The contract forbids compression, which the library offers by default.
    async with websockets.asyncio.client.connect(
        exchanger.url, compression=None
    ) as websocket:
        answered = exchanger.opened()
        await websocket.send(exchanger.payload)
        while answered(await websocket.recv()):
            await websocket.send(exchanger.payload)


def exchange_threading(exchanger):
    # No compression, as above.
    connect = websockets.sync.client.connect
    try:
        with connect(exchanger.url, compression=None) as websocket:
            answered = exchanger.opened()
            websocket.send(exchanger.payload)
            while answered(websocket.recv()):
                websocket.send(exchanger.payload)
    except (OSError, WebSocketException) as error:
        exchanger.fail(error)  # At once, because other threads still run.


async def run_asyncio(exchanger):
    connections = range(exchanger.connections)
    try:
        await asyncio.gather(*(exchange_asyncio(exchanger) for _ in connections))
    except (OSError, WebSocketException) as error:
        exchanger.fail(error)


def exchange(api):
    exchanger = Exchanger.from_environment()
    if api == "asyncio":
        asyncio.run(run_asyncio(exchanger))
    else:
        call_on_threads(exchange_threading, exchanger)
    exchanger.finish()
