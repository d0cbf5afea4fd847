"""Sends a feed with Autobahn on Twisted."""

# ruff: noqa: N802, N815

from contextlib import suppress

from autobahn.exception import Disconnected
from autobahn.twisted.websocket import WebSocketServerProtocol
from serving import Connection, encode
from twisted.internet.defer import Deferred


class TwistedConnection(Connection, WebSocketServerProtocol):
    """A connection with the flow control of Twisted's producers."""

    room = None

    def onOpen(self):
        if self.is_subscriber:
            self.registerProducer(self, True)
        super().onOpen()

    def onClose(self, *reason):
        self.resumeProducing()
        super().onClose(*reason)

    def pauseProducing(self):
        self.room = Deferred()

    def resumeProducing(self):
        room, self.room = self.room, None
        if room is not None:
            room.callback(None)

    stopProducing = resumeProducing


async def publish(feed):
    async for message in feed:
        payload, is_binary = encode(message)
        for subscriber in feed.subscribed:
            if feed.is_paced and subscriber.room is not None:
                await subscriber.room
            with suppress(Disconnected):
                subscriber.sendMessage(payload, is_binary)
    for subscriber in feed.subscribed:
        subscriber.sendClose(1000)
