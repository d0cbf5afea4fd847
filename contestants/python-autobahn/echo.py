"""Exchanges echoes with Autobahn."""

# ruff: noqa: N802, N803

from autostrada_kit import Exchanger
from connecting import ConnectionLostError, WebSocketClientProtocol, connect_all


class Exchanging(WebSocketClientProtocol):
    is_ongoing = True

    def onOpen(self):
        self.answered = self.factory.counting.opened()
        self.payload = self.factory.counting.payload
        self.sendMessage(self.payload.encode())

    def onMessage(self, payload, isBinary):
        self.is_ongoing = self.answered(payload if isBinary else payload.decode())
        if self.is_ongoing:
            self.sendMessage(self.payload.encode())
        else:
            self.sendClose(1000)

    def onClose(self, wasClean, code, reason):
        if self.is_ongoing:
            self.factory.counting.fail(ConnectionLostError(reason))


def exchange():
    exchanger = Exchanger.from_environment()
    try:
        connect_all(Exchanging, exchanger)
    except OSError as error:
        exchanger.fail(error)
    exchanger.finish()
