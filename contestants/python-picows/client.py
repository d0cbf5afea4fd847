"""Receives messages with picows' core API."""

import asyncio

from autostrada_kit import CLOSE, REPLY, Client
from listening import MessageListener
from picows import WSCloseCode, WSError, WSMsgType, ws_connect


class Receiving(MessageListener):
    def on_ws_connected(self, transport):
        self._transport = transport
        self._received = client.opened()

    def on_message(self, message):
        action = self._received(message)
        if action == REPLY:
            if isinstance(message, str):
                self._transport.send(WSMsgType.TEXT, message.encode())
            else:
                self._transport.send(WSMsgType.BINARY, message)
        elif action == CLOSE:
            self._transport.send_close(WSCloseCode.OK)


async def receive():
    # The contract requires 16 MiB; the library's default is 10 MiB.
    transport, _ = await ws_connect(
        Receiving, client.url, max_frame_size=16 * 1024 * 1024
    )
    await transport.wait_disconnected()


async def receive_all():
    await asyncio.gather(*(receive() for _ in range(client.connections)))


client = Client.from_environment()
try:
    asyncio.run(receive_all())
except (OSError, ValueError, WSError) as error:
    client.fail(error)
client.finish()
