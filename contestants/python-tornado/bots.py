"""Bots with Tornado: its WebSocket client."""

import asyncio
from functools import partial

from autostrada_kit import Bots, play
from connecting import Failure, close, connect, receive


async def play_one(bots):
    websocket = await connect(bots.url)
    await play(bots.opened(), websocket.write_message, partial(receive, websocket))
    await close(websocket)


async def play_all(bots):
    connections = range(bots.connections)
    try:
        await asyncio.gather(*(play_one(bots) for _ in connections))
    except Failure as error:
        bots.fail(error)


def send_when_due():
    bots = Bots.from_environment()
    asyncio.run(play_all(bots))
    bots.finish()
