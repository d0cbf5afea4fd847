"""Receives messages with aiohttp's client session."""

import asyncio

from aiohttp import ClientError, ClientSession, WebSocketError, WSMsgType
from autostrada_kit import Receiver, choose
from echo import exchange


async def receive_one(session, receiver):
    # The contract requires 16 MiB; the library rejects messages as long as the limit.
    limit = 16 * 1024 * 1024 + 1
    async with session.ws_connect(receiver.url, max_msg_size=limit) as websocket:
        received = receiver.opened()
        async for message in websocket:
            if message.type == WSMsgType.TEXT:
                is_all = received(message.data)
            elif message.type == WSMsgType.ERROR:
                raise message.data
            else:
                is_all = received(message.data)  # Binary.
            if is_all:
                break


async def receive_all(receiver):
    connections = range(receiver.connections)
    async with ClientSession() as session:
        await asyncio.gather(*(receive_one(session, receiver) for _ in connections))


def receive():
    receiver = Receiver.from_environment()
    try:
        asyncio.run(receive_all(receiver))
    except (OSError, ClientError, WebSocketError) as error:
        receiver.fail(error)
    receiver.finish()


workloads = {"receive": receive, "echo": exchange}
workloads[choose("WORKLOAD", *workloads)]()
