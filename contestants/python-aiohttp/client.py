"""Receives messages with aiohttp's client session."""

import asyncio

from aiohttp import ClientError, ClientSession, WebSocketError, WSMsgType
from autostrada_kit import Receiver, choose
from echo import exchange

# Enumeration members, looked up once.
TEXT, BINARY = WSMsgType.TEXT, WSMsgType.BINARY


async def count(websocket, receiver):
    messages = 0
    complete = receiver.opened_by_counter(lambda: messages)
    receive = websocket.receive  # A lookup per message is measurable.
    for messages in range(receiver.expected):  # noqa: B007 (read by complete)
        message = await receive()
        # Indexing is cheaper than a named field, and both than unpacking the tuple.
        if message[0] is not TEXT and message[0] is not BINARY:
            return message[0], message[1]
    messages += 1
    complete()
    return TEXT, None


async def check(websocket, receiver):
    received = receiver.opened()
    kind, data, _ = await websocket.receive()
    while (kind is TEXT or kind is BINARY) and not received(data):
        kind, data, _ = await websocket.receive()
    return kind, data


async def receive_one(session, receiver):
    # The contract requires 16 MiB; the library rejects messages as long as the limit.
    limit = 16 * 1024 * 1024 + 1
    async with session.ws_connect(receiver.url, max_msg_size=limit) as websocket:
        kind, data = await (check if receiver.feed else count)(websocket, receiver)
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
