"""Receives and checks a feed with Autobahn."""

# ruff: noqa: N802, N803

from autostrada_feeds import Receiver
from connecting import ConnectionLostError, WebSocketClientProtocol, connect_all


class Receiving(WebSocketClientProtocol):
    received = failure = None

    def onOpen(self):
        self.received = self.factory.counting.opened()

    def onMessage(self, payload, isBinary):
        if self.received(payload if isBinary else payload.decode()):
            self.sendClose(1000)

    def onClose(self, wasClean, code, reason):
        # The library itself fails a connection whose message it rejects.
        if self.received is None or self.failedByMe:
            Receiving.failure = ConnectionLostError(reason)


receiver = Receiver.from_environment()
try:
    connect_all(Receiving, receiver)
    if Receiving.failure:
        raise Receiving.failure
except OSError as error:
    receiver.fail(error)
receiver.finish()
