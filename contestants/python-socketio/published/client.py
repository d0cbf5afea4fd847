"""Receives and checks a feed with python-socketio's AsyncClient."""

import asyncio
from urllib.parse import urlsplit

from autostrada_feeds import Receiver
from session import session
from socketio import AsyncClientNamespace
from socketio.exceptions import SocketIOError


class Receiving(AsyncClientNamespace):
    def __init__(self, receiver):
        super().__init__(urlsplit(receiver.url).path)
        self.receiver = receiver
        self.over = asyncio.Event()

    def on_connect(self):
        self.received = self.receiver.opened()

    def on_message(self, message):
        if self.received(message):
            self.over.set()

    def on_disconnect(self, reason=None):
        self.over.set()


async def receive_one(receiver):
    receiving = Receiving(receiver)
    async with session(receiver.url, receiving):
        await receiving.over.wait()


async def receive_all(receiver):
    connections = range(receiver.connections)
    await asyncio.gather(*(receive_one(receiver) for _ in connections))


receiver = Receiver.from_environment()
try:
    asyncio.run(receive_all(receiver))
except (OSError, SocketIOError) as error:
    receiver.fail(error)
receiver.finish()
