"""Exchanges echoes with aiohttp's client session."""

import asyncio

from aiohttp import ClientError, ClientSession
from autostrada_kit import Exchanger
from receiving import receive


async def exchange_one(session, exchanger):
    async with session.ws_connect(exchanger.url) as websocket:
        answered = exchanger.opened()
        await websocket.send_str(exchanger.payload)
        while answered(await receive(websocket)):
            await websocket.send_str(exchanger.payload)


async def exchange_all(exchanger):
    connections = range(exchanger.connections)
    try:
        async with ClientSession() as session:
            await asyncio.gather(
                *(exchange_one(session, exchanger) for _ in connections)
            )
    except (OSError, ClientError) as error:
        exchanger.fail(error)


def exchange():
    exchanger = Exchanger.from_environment()
    asyncio.run(exchange_all(exchanger))
    exchanger.finish()
