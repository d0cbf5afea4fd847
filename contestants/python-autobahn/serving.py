"""The parts of an Autobahn server that asyncio and Twisted share."""

# ruff: noqa: N802, N803

from contextlib import suppress

from autobahn.exception import Disconnected
from autobahn.websocket.compress import (
    PerMessageDeflateOffer,
    PerMessageDeflateOfferAccept,
)
from autobahn.websocket.types import ConnectionDeny

subscribers = set()


class Connection:
    """A connection that echoes, publishes or subscribes."""

    def onConnect(self, request):
        self.verb = request.path
        if self.verb not in ("/echo", "/publish", "/subscribe"):
            raise ConnectionDeny(ConnectionDeny.NOT_FOUND, "Not Found")

    def onOpen(self):
        if self.verb == "/subscribe":
            subscribers.add(self)

    def onMessage(self, payload, isBinary):
        if self.verb == "/echo":
            self.sendMessage(payload, isBinary)
        elif self.verb == "/publish":
            prepared = self.factory.prepareMessage(payload, isBinary)
            for subscriber in subscribers:
                with suppress(Disconnected):
                    subscriber.sendPreparedMessage(prepared)

    def onClose(self, wasClean, code, reason):
        subscribers.discard(self)


def set_options(factory, settings):
    # By default, the library waits 1 s and then drops what its peer has not read.
    factory.setProtocolOptions(closeHandshakeTimeout=0)
    # Off by default, as the contract requires, which is also the library's default.
    if settings.deflate:
        factory.setProtocolOptions(perMessageCompressionAccept=accept_compression)


def accept_compression(offers):
    for offer in offers:
        if isinstance(offer, PerMessageDeflateOffer):
            return PerMessageDeflateOfferAccept(offer)
    return None
