"""Bots with picows: its core API."""

import asyncio

from autostrada_kit import Bots, play
from listening import MessageListener
from picows import WSCloseCode, WSError, WSMsgType, ws_connect


class Listener(MessageListener):
    def __init__(self, bots):
        self._bots = bots
        self.is_wanted = True

    def on_ws_connected(self, transport):
        self.bot = self._bots.opened()

    def on_message(self, message):
        self.bot.answered(message)

    def on_ws_disconnected(self, transport):
        if self.is_wanted:
            self._bots.fail(ConnectionError("closed by the server"))


async def play_one(bots):
    transport, listener = await ws_connect(lambda: Listener(bots), bots.url)

    async def send(event):
        transport.send(WSMsgType.TEXT, event.encode())

    await play(listener.bot, send)
    listener.is_wanted = False
    transport.send_close(WSCloseCode.OK)
    await transport.wait_disconnected()


async def play_all(bots):
    connections = range(bots.connections)
    try:
        await asyncio.gather(*(play_one(bots) for _ in connections))
    except (OSError, ValueError, WSError) as error:
        bots.fail(error)


def send_when_due():
    bots = Bots.from_environment()
    asyncio.run(play_all(bots))
    bots.finish()
