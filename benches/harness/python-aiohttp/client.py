"""The smallest program that receives with aiohttp: its client session."""

import asyncio
import os

from aiohttp import ClientSession


async def receive(url, messages):
    async with ClientSession() as session, session.ws_connect(url) as websocket:
        receive = websocket.receive
        for _ in range(messages):
            await receive()


asyncio.run(receive(os.environ["URL"], int(os.environ["MESSAGES"])))
