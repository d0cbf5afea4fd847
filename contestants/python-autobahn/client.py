"""Receives messages with Autobahn."""

# ruff: noqa: N802, N803

from autostrada_kit import Receiver, choose
from connecting import ConnectionLostError, WebSocketClientProtocol, connect_all
from echo import exchange


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


def receive():
    receiver = Receiver.from_environment()
    try:
        connect_all(Receiving, receiver)
        if Receiving.failure:
            raise Receiving.failure
    except OSError as error:
        receiver.fail(error)
    receiver.finish()


workloads = {"receive": receive, "echo": exchange}
workloads[choose("WORKLOAD", *workloads)]()
