"""Bots with Autobahn; its companion txaio has the timers of either event loop."""

# ruff: noqa: N802, N803

import txaio
from autostrada_kit import Bots
from connecting import ConnectionLostError, WebSocketClientProtocol, connect_all

SECOND_NS = 1_000_000_000


class Playing(WebSocketClientProtocol):
    is_wanted = True

    def onOpen(self):
        self.bot = self.factory.counting.opened()
        self.bot.begun.add_done_callback(self.plan)

    def onMessage(self, payload, isBinary):
        self.bot.answered(payload if isBinary else payload.decode())

    def onClose(self, wasClean, code, reason):
        if self.is_wanted:
            self.factory.counting.fail(ConnectionLostError(reason))

    def plan(self, _=None):
        due_ns = self.bot.next_due_ns()
        if due_ns is not None:
            self.call_at(due_ns, self.send)
        elif self.bot.is_over:
            self.close()
        else:
            self.bot.over.add_done_callback(self.close)
            self.call_at(self.bot.drained_ns, self.close)

    def call_at(self, instant_ns, function):
        txaio.call_later(max(0, instant_ns - self.bot.clock()) / SECOND_NS, function)

    def send(self):
        if self.is_wanted:
            self.sendMessage(self.bot.next_event().encode())
            self.plan()

    def close(self, _=None):
        self.is_wanted = False
        self.sendClose(1000)


def send_when_due():
    bots = Bots.from_environment()
    try:
        connect_all(Playing, bots)
    except OSError as error:
        bots.fail(error)
    bots.finish()
