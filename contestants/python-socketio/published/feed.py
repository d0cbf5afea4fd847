"""Sends a feed with python-socketio: all sessions of a namespace subscribe."""

import asyncio

from autostrada_feeds import Subscribers
from socketio import AsyncNamespace

# Messages of a continuous feed after which the last one must be acknowledged.
ACKNOWLEDGED_MESSAGES = 16


class Feeding(AsyncNamespace):
    def __init__(self, settings):
        super().__init__("/feed")
        self.subscribers = Subscribers(settings, self.publish)
        # By session ID: its group of subscribers, and the event of an acknowledgement.
        self.joined = {}
        self.acknowledged = {}

    def on_connect(self, sid, environ, auth):
        self.joined[sid] = self.subscribers.join(sid)

    def on_disconnect(self, sid, reason=None):
        self.joined.pop(sid).remove(sid)
        if sid in self.acknowledged:
            self.acknowledged[sid].set()

    async def publish(self, feed):
        number = 0
        async for message in feed:
            number += 1
            if feed.is_paced and number % ACKNOWLEDGED_MESSAGES == 0:
                await self.send_acknowledged(feed.subscribed, message)
            else:
                await self.send(message)
        for sid in feed.subscribed:
            await self.disconnect(sid)

    async def send_acknowledged(self, subscribed, message):
        # Sending never waits: only acknowledgements limit the send rate.
        self.acknowledged = {sid: asyncio.Event() for sid in subscribed}
        for sid, acknowledged in self.acknowledged.items():
            await self.send(message, to=sid, callback=acknowledged.set)
        for acknowledged in self.acknowledged.values():
            await acknowledged.wait()
