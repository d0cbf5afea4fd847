"""The smallest program that receives with aiohttp: its client session."""

import asyncio
import os

from aiohttp import ClientSession


async def receive(url, messages):
    count = 0
    async with ClientSession() as session, session.ws_connect(url) as websocket:
        while count < messages:
            await websocket.receive()
            count += 1


asyncio.run(receive(os.environ["URL"], int(os.environ["MESSAGES"])))
