"""The smallest program that receives with aiohttp: its client session."""

import asyncio
import os

from aiohttp import ClientSession, WSMsgType


async def receive(url, messages):
    count = 0
    async with ClientSession() as session, session.ws_connect(url) as websocket:
        async for message in websocket:
            if message.type == WSMsgType.TEXT and message.data:
                count += 1
                if count == messages:
                    break


asyncio.run(receive(os.environ["URL"], int(os.environ["MESSAGES"])))
