"""Opens a client's connections with Autobahn on asyncio or Twisted."""

from autostrada_kit import choose

# The choice is per process: the library makes it when it is imported.
if choose("API", "asyncio", "twisted") == "twisted":
    from autobahn.twisted.websocket import (
        WebSocketClientFactory,
        WebSocketClientProtocol,
    )
    from connecting_twisted import run
else:
    from autobahn.asyncio.websocket import (
        WebSocketClientFactory,
        WebSocketClientProtocol,
    )
    from connecting_asyncio import run

__all__ = ["ConnectionLostError", "WebSocketClientProtocol", "connect_all"]


class ConnectionLostError(ConnectionError):
    """A connection that has ended or was never opened."""


def connect_all(protocol, counting):
    """Open all connections, and return when all are closed."""

    def make_factory():
        factory = WebSocketClientFactory(counting.url)
        # By default, the library waits one second for the answer to its close frame.
        factory.setProtocolOptions(closeHandshakeTimeout=0)
        factory.protocol = protocol
        factory.counting = counting
        return factory

    run(make_factory, counting.connections)
