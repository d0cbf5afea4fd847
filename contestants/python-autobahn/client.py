"""Receives messages with Autobahn."""

# ruff: noqa: N802, N803

from autostrada_kit import CLOSE, REPLY, Client
from connecting import ConnectionLostError, WebSocketClientProtocol, connect_all


class Receiving(WebSocketClientProtocol):
    received = failure = None

    def onOpen(self):
        self.received = self.factory.counting.opened()

    def onMessage(self, payload, isBinary):
        message = payload if isBinary else payload.decode()
        action = self.received(message)
        if action == REPLY:
            self.sendMessage(message if isBinary else message.encode(), isBinary)
        elif action == CLOSE:
            self.sendClose(1000)

    def onClose(self, wasClean, code, reason):
        # The library itself fails a connection whose message it rejects.
        if self.received is None or self.failedByMe:
            Receiving.failure = ConnectionLostError(reason)


client = Client.from_environment()
try:
    connect_all(Receiving, client)
    if Receiving.failure:
        raise Receiving.failure
except OSError as error:
    client.fail(error)
client.finish()
