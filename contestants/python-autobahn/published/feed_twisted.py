"""Sends a feed with Autobahn on Twisted."""

# ruff: noqa: N802, N815

from contextlib import suppress
from functools import partial

from autobahn.exception import Disconnected
from autobahn.twisted.websocket import WebSocketServerProtocol
from autostrada_feeds import Subscribers
from connection import Connection, encode
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater


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


def make_subscribers(feed):
    return Subscribers(
        feed,
        publish,
        run=partial(deferLater, reactor, 0, Deferred.fromCoroutine),
        sleep=partial(deferLater, reactor),
    )


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
