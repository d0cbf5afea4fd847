"""Exchanges echoes with Tornado's WebSocket client."""

import asyncio

from autostrada_kit import Exchanger
from connecting import Failure, close, connect, receive


async def exchange_one(exchanger):
    websocket = await connect(exchanger.url)
    answered = exchanger.opened()
    await websocket.write_message(exchanger.payload)
    while answered(await receive(websocket)):
        await websocket.write_message(exchanger.payload)
    await close(websocket)


async def exchange_all(exchanger):
    connections = range(exchanger.connections)
    try:
        await asyncio.gather(*(exchange_one(exchanger) for _ in connections))
    except Failure as error:
        exchanger.fail(error)


def exchange():
    exchanger = Exchanger.from_environment()
    asyncio.run(exchange_all(exchanger))
    exchanger.finish()
