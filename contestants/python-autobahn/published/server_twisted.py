"""Sends a feed with Autobahn on Twisted."""

from functools import partial

from autobahn.twisted.websocket import WebSocketServerFactory
from autostrada_feeds import Subscribers
from feed_twisted import TwistedConnection, publish
from serving import set_options
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.ssl import DefaultOpenSSLContextFactory
from twisted.internet.task import deferLater
from twisted.protocols.tls import TLSMemoryBIOFactory


def wrap_in_tls(factory, settings):
    contexts = DefaultOpenSSLContextFactory(settings.tls_key, settings.tls_cert)
    # The factory loads only the first certificate of the chain.
    contexts.getContext().use_certificate_chain_file(settings.tls_cert)
    return TLSMemoryBIOFactory(contexts, False, factory)


def serve(settings, feed):
    factory = WebSocketServerFactory()
    factory.protocol = TwistedConnection
    factory.subscribers = Subscribers(
        feed,
        publish,
        run=partial(deferLater, reactor, 0, Deferred.fromCoroutine),
        sleep=partial(deferLater, reactor),
    )
    set_options(factory, settings)
    if settings.tls_cert:
        factory = wrap_in_tls(factory, settings)
    reactor.listenTCP(settings.port, factory, interface=settings.host)
    reactor.run()
