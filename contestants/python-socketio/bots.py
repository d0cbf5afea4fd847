"""Bots with python-socketio: its AsyncClient."""

import asyncio
from urllib.parse import urlsplit

from autostrada_kit import Bots, play
from session import session
from socketio import AsyncClientNamespace
from socketio.exceptions import SocketIOError


class Playing(AsyncClientNamespace):
    def __init__(self, bots):
        super().__init__(urlsplit(bots.url).path)
        self.bots = bots
        self.is_over = False

    def on_connect(self):
        self.bot = self.bots.opened()

    def on_message(self, answer):
        self.bot.answered(answer)

    def on_disconnect(self, reason):
        if not self.is_over:
            self.bots.fail(ConnectionError(reason))


async def play_one(bots):
    playing = Playing(bots)
    async with session(bots.url, playing):
        await play(playing.bot, playing.send)
        playing.is_over = True


async def play_all(bots):
    connections = range(bots.connections)
    try:
        await asyncio.gather(*(play_one(bots) for _ in connections))
    except (OSError, SocketIOError) as error:
        bots.fail(error)


def send_when_due():
    bots = Bots.from_environment()
    asyncio.run(play_all(bots))
    bots.finish()
