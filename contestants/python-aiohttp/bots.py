"""Bots with aiohttp: its client session."""

import asyncio
from functools import partial

from aiohttp import ClientError, ClientSession
from autostrada_kit import Bots, play
from receiving import receive


async def play_one(session, bots):
    async with session.ws_connect(bots.url) as websocket:
        await play(bots.opened(), websocket.send_str, partial(receive, websocket))


async def play_all(bots):
    connections = range(bots.connections)
    try:
        async with ClientSession() as session:
            await asyncio.gather(*(play_one(session, bots) for _ in connections))
    except (OSError, ClientError) as error:
        bots.fail(error)


def send_when_due():
    bots = Bots.from_environment()
    asyncio.run(play_all(bots))
    bots.finish()
