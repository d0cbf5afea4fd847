"""The smallest program that receives with websockets: its asyncio client."""

import asyncio
import os

from websockets.asyncio.client import connect


async def receive(url, messages):
    count = 0
    async with connect(url, compression=None) as websocket:
        async for _ in websocket:
            count += 1
            if count == messages:
                break


asyncio.run(receive(os.environ["URL"], int(os.environ["MESSAGES"])))
