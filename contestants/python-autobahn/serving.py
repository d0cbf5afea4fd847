"""What a server of Autobahn does on asyncio and on Twisted alike."""

# ruff: noqa: N802, N803

from autobahn.websocket.compress import (
    PerMessageDeflateOffer,
    PerMessageDeflateOfferAccept,
)


class Connection:
    """Sends messages back, or joins the subscribers."""

    subscribed = None

    def onConnect(self, request):
        self.is_subscriber = request.path == "/feed"

    def onOpen(self):
        if self.is_subscriber:
            self.subscribed = self.factory.subscribers.join(self)

    def onMessage(self, payload, isBinary):
        if not self.is_subscriber:
            self.sendMessage(payload, isBinary)

    def onClose(self, wasClean, code, reason):
        if self.subscribed is not None:
            self.subscribed.remove(self)


def encode(message):
    """Return a message's bytes, and whether they are binary."""
    return (message.encode(), False) if isinstance(message, str) else (message, True)


def set_options(factory, settings):
    # By itself it waits a second, and then throws away what its peer has not yet read.
    factory.setProtocolOptions(closeHandshakeTimeout=0)
    # The contract: off where it is not asked for. That is the library's default, too.
    if settings.deflate:
        factory.setProtocolOptions(perMessageCompressionAccept=accept_compression)


def accept_compression(offers):
    for offer in offers:
        if isinstance(offer, PerMessageDeflateOffer):
            return PerMessageDeflateOfferAccept(offer)
    return None
