"""Sends a feed with aiohttp: each subscriber has a task that sends to it."""

import asyncio
from contextlib import aclosing


async def subscribe(websocket, subscribers):
    # Receiving detects the end of the connection, after which nothing is sent.
    receiving = asyncio.create_task(ignore(websocket))
    sending = asyncio.create_task(send_feed(websocket, subscribers))
    await asyncio.wait({receiving, sending}, return_when=asyncio.FIRST_COMPLETED)
    sending.cancel()
    await websocket.close()


async def ignore(websocket):
    async for _ in websocket:
        pass


async def send_feed(websocket, subscribers):
    async with aclosing(subscribers.messages()) as messages:
        async for message in messages:
            if isinstance(message, str):
                await websocket.send_str(message)
            else:
                await websocket.send_bytes(message)
