"""Receives messages with Tornado's WebSocket client."""

import asyncio

from autostrada_kit import Receiver, choose
from connecting import Failure, close, connect
from echo import exchange


async def receive_one(receiver):
    websocket = await connect(receiver.url)
    received = receiver.opened()
    while (message := await websocket.read_message()) is not None:
        if received(message):
            await close(websocket)
            break


async def receive_all(receiver):
    connections = range(receiver.connections)
    await asyncio.gather(*(receive_one(receiver) for _ in connections))


def receive():
    receiver = Receiver.from_environment()
    try:
        asyncio.run(receive_all(receiver))
    except Failure as error:
        receiver.fail(error)
    receiver.finish()


workloads = {"receive": receive, "echo": exchange}
workloads[choose("WORKLOAD", *workloads)]()
