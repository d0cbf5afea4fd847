"""Receives with aiohttp: its client session."""

import asyncio

from aiohttp import ClientError, ClientSession, WebSocketError, WSMsgType
from autostrada_kit import Receiver, choose
from echo import exchange

# Looked up once: constants of an enumeration.
TEXT, BINARY = WSMsgType.TEXT, WSMsgType.BINARY


async def receive_one(session, receiver):
    # The contract: messages of 16 MiB. The library refuses those of the limit's length.
    limit = 16 * 1024 * 1024 + 1
    async with session.ws_connect(receiver.url, max_msg_size=limit) as websocket:
        received = receiver.opened()
        while True:
            kind, data, _ = await websocket.receive()
            if kind is not TEXT and kind is not BINARY:
                break
            if received(data):
                return
    if kind is WSMsgType.ERROR:
        raise data


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
