"""Exchanges echoes with python-socketio's AsyncClient."""

import asyncio
from urllib.parse import urlsplit

from autostrada_kit import Exchanger
from session import session
from socketio import AsyncClientNamespace
from socketio.exceptions import SocketIOError


class Exchanging(AsyncClientNamespace):
    def __init__(self, exchanger):
        super().__init__(urlsplit(exchanger.url).path)
        self.exchanger = exchanger
        self.over = asyncio.Event()

    async def on_connect(self):
        self.answered = self.exchanger.opened()
        await self.send(self.exchanger.payload)

    async def on_message(self, answer):
        if self.answered(answer):
            await self.send(self.exchanger.payload)
        else:
            self.over.set()

    def on_disconnect(self, reason="disconnected"):
        if not self.over.is_set():
            self.exchanger.fail(ConnectionError(reason))


async def exchange_one(exchanger):
    exchanging = Exchanging(exchanger)
    async with session(exchanger.url, exchanging):
        await exchanging.over.wait()


async def exchange_all(exchanger):
    connections = range(exchanger.connections)
    try:
        await asyncio.gather(*(exchange_one(exchanger) for _ in connections))
    except (OSError, SocketIOError) as error:
        exchanger.fail(error)


def exchange():
    exchanger = Exchanger.from_environment()
    asyncio.run(exchange_all(exchanger))
    exchanger.finish()
