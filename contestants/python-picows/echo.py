"""Exchanges echoes with picows' core API."""

import asyncio

from autostrada_kit import Exchanger
from listening import MessageListener
from picows import WSCloseCode, WSError, WSMsgType, ws_connect


class Listener(MessageListener):
    def __init__(self, exchanger):
        self._exchanger = exchanger
        self._is_ongoing = True

    def on_ws_connected(self, transport):
        self._transport = transport
        self._answered = self._exchanger.opened()
        self._send()

    def on_message(self, message):
        self._is_ongoing = self._answered(message)
        if self._is_ongoing:
            self._send()
        else:
            self._transport.send_close(WSCloseCode.OK)

    def on_ws_disconnected(self, transport):
        if self._is_ongoing:
            self._exchanger.fail(ConnectionError("closed by the server"))

    def _send(self):
        self._transport.send(WSMsgType.TEXT, self._exchanger.payload.encode())


async def exchange_one(exchanger):
    transport, _ = await ws_connect(lambda: Listener(exchanger), exchanger.url)
    await transport.wait_disconnected()


async def exchange_all(exchanger):
    connections = range(exchanger.connections)
    try:
        await asyncio.gather(*(exchange_one(exchanger) for _ in connections))
    except (OSError, ValueError, WSError) as error:
        exchanger.fail(error)


def exchange():
    exchanger = Exchanger.from_environment()
    asyncio.run(exchange_all(exchanger))
    exchanger.finish()
