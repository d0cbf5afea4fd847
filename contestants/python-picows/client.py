"""Receives messages with picows' core API."""

import asyncio

from autostrada_kit import Receiver, choose
from echo import exchange
from listening import MessageListener
from picows import WSCloseCode, WSError, ws_connect


class Receiving(MessageListener):
    def __init__(self, receiver):
        self._receiver = receiver

    def on_ws_connected(self, transport):
        self._transport = transport
        self._received = self._receiver.opened()

    def on_message(self, message):
        if self._received(message):
            self._transport.send_close(WSCloseCode.OK)


async def receive_one(receiver):
    # The contract requires 16 MiB; the library's default is 10 MiB.
    transport, _ = await ws_connect(
        lambda: Receiving(receiver), receiver.url, max_frame_size=16 * 1024 * 1024
    )
    await transport.wait_disconnected()


async def receive_all(receiver):
    connections = range(receiver.connections)
    await asyncio.gather(*(receive_one(receiver) for _ in connections))


def receive():
    receiver = Receiver.from_environment()
    try:
        asyncio.run(receive_all(receiver))
    except (OSError, ValueError, WSError) as error:
        receiver.fail(error)
    receiver.finish()


workloads = {"receive": receive, "echo": exchange}
workloads[choose("WORKLOAD", *workloads)]()
