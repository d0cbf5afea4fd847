"""Bots with websockets: its asyncio client, or its threading client."""

import asyncio

import websockets.asyncio.client
import websockets.sync.client
from autostrada_kit import Bots, call_on_threads, play, play_on_threads
from websockets.exceptions import WebSocketException


async def play_asyncio(bots):
    # No compression: the contract forbids it; the library offers it by default.
    async with websockets.asyncio.client.connect(
        bots.url, compression=None
    ) as websocket:
        await play(bots.opened(), websocket.send, websocket.recv)


def play_threading(bots):
    # No compression: as above.
    connect = websockets.sync.client.connect
    try:
        with connect(bots.url, compression=None) as websocket:
            play_on_threads(bots.opened(), websocket.send, websocket.recv)
    except (OSError, WebSocketException) as error:
        bots.fail(error)  # At once: the other threads would go on.


async def run_asyncio(bots):
    connections = range(bots.connections)
    try:
        await asyncio.gather(*(play_asyncio(bots) for _ in connections))
    except (OSError, WebSocketException) as error:
        bots.fail(error)


def send_when_due(api):
    bots = Bots.from_environment()
    if api == "asyncio":
        asyncio.run(run_asyncio(bots))
    else:
        call_on_threads(play_threading, bots)
    bots.finish()
