"""Serves with Autobahn on Twisted."""

from autobahn.twisted.websocket import WebSocketServerFactory, WebSocketServerProtocol
from serving import Connection, set_options
from twisted.internet import reactor
from twisted.internet.ssl import DefaultOpenSSLContextFactory
from twisted.protocols.tls import TLSMemoryBIOFactory


class TwistedConnection(Connection, WebSocketServerProtocol):
    pass


def wrap_in_tls(factory, settings):
    contexts = DefaultOpenSSLContextFactory(settings.tls_key, settings.tls_cert)
    # The factory loads only the first certificate of the chain.
    contexts.getContext().use_certificate_chain_file(settings.tls_cert)
    return TLSMemoryBIOFactory(contexts, False, factory)


def serve(settings, protocol=TwistedConnection, subscribers=None):
    factory = WebSocketServerFactory()
    factory.protocol, factory.subscribers = protocol, subscribers
    set_options(factory, settings)
    if settings.tls_cert:
        factory = wrap_in_tls(factory, settings)
    reactor.listenTCP(settings.port, factory, interface=settings.host)
    reactor.run()
