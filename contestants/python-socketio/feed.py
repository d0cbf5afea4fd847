"""Sends a feed to subscribers with python-socketio: everybody in a namespace."""

import asyncio

from autostrada_kit import Subscribers
from socketio import AsyncNamespace

# Of a continuous feed: so many messages, and the last is acknowledged before the next.
PACE_MESSAGES = 16


class Feeding(AsyncNamespace):
    def __init__(self, settings):
        super().__init__("/feed")
        self.subscribers = Subscribers(settings, self.publish)
        # By session: whom it has joined, and what says that it has taken a message.
        self.joined = {}
        self.taken = {}

    def on_connect(self, sid, environ, auth):
        self.joined[sid] = self.subscribers.join(sid)

    def on_disconnect(self, sid, reason):
        self.joined.pop(sid).remove(sid)
        if sid in self.taken:
            self.taken[sid].set()

    async def publish(self, feed):
        number = 0
        async for message in feed:
            number += 1
            if feed.is_paced and number % PACE_MESSAGES == 0:
                await self.send_to_be_taken(feed.subscribed, message)
            else:
                await self.send(message)
        for sid in feed.subscribed:
            await self.disconnect(sid)

    async def send_to_be_taken(self, subscribed, message):
        # Sending waits for nobody: without acknowledgements nobody would set the pace.
        self.taken = {sid: asyncio.Event() for sid in subscribed}
        for sid, taken in self.taken.items():
            await self.send(message, to=sid, callback=taken.set)
        for taken in self.taken.values():
            await taken.wait()
