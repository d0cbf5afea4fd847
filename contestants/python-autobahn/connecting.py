"""Opens a client's connections with Autobahn: on asyncio, or on Twisted."""

from autostrada_kit import choose

# A process has one of them: the library decides when it is imported.
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
    """A connection has ended, or was never opened."""


def connect_all(protocol, counting):
    """Open as many connections as are wanted, and return when all are closed."""

    def make_factory():
        factory = WebSocketClientFactory(counting.url)
        # By itself it waits a second for the answer to its closing frame.
        factory.setProtocolOptions(closeHandshakeTimeout=0)
        factory.protocol = protocol
        factory.counting = counting
        return factory

    run(make_factory, counting.connections)
