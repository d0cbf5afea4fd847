"""Feeds an audience with Autobahn on Twisted."""

# ruff: noqa: N802, N815

from contextlib import suppress

from autobahn.exception import Disconnected
from autobahn.twisted.websocket import WebSocketServerProtocol
from serving import Connection, encode
from twisted.internet.defer import Deferred


class TwistedConnection(Connection, WebSocketServerProtocol):
    """The pace is that of Twisted's producers, as in the library's streaming."""

    room = None

    def onOpen(self):
        if self.is_member:
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
        for member in feed.members:
            if feed.is_paced and member.room is not None:
                await member.room
            with suppress(Disconnected):
                member.sendMessage(payload, is_binary)
    for member in feed.members:
        member.sendClose(1000)
