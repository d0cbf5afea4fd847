"""The parts of a feed that asyncio and Twisted share."""

# ruff: noqa: N802, N803


class Connection:
    """A connection that joins the subscribers, or echoes until the server is ready."""

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
    """Return a message's bytes, and whether it is binary."""
    return (message.encode(), False) if isinstance(message, str) else (message, True)
