"""Runs a client of Autobahn on Twisted."""

from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.endpoints import HostnameEndpoint, wrapClientTLS
from twisted.internet.ssl import optionsForClientTLS


async def connect_one(factory):
    endpoint = HostnameEndpoint(reactor, factory.host, factory.port)
    if factory.isSecure:
        endpoint = wrapClientTLS(optionsForClientTLS(factory.host), endpoint)
    protocol = await endpoint.connect(factory)
    await protocol.is_closed


async def connect_all(make_factory, connections):
    factory = make_factory()
    opening = [Deferred.fromCoroutine(connect_one(factory)) for _ in range(connections)]
    await gatherResults(opening, consumeErrors=True)


def run(make_factory, connections):
    failures = []

    def start():
        running = Deferred.fromCoroutine(connect_all(make_factory, connections))
        running.addErrback(failures.append)
        running.addCallback(lambda _: reactor.stop())

    reactor.callWhenRunning(start)
    reactor.run()
    for failure in failures:
        # With several connections, this is the first that could not be opened.
        raise ConnectionError(str(failure.value.subFailure.value))
