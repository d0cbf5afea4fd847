"""Echoes messages and sends a feed with Autobahn on Twisted."""

import socket
from functools import partial

from autobahn.twisted.websocket import WebSocketServerFactory
from autostrada_kit import Subscribers
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


def serve(settings):
    factory = WebSocketServerFactory()
    factory.protocol = TwistedConnection
    factory.subscribers = Subscribers(
        settings.feed,
        publish,
        run=partial(deferLater, reactor, 0, Deferred.fromCoroutine),
        sleep=partial(deferLater, reactor),
    )
    set_options(factory, settings)
    if settings.tls_cert:
        factory = wrap_in_tls(factory, settings)
    # A socket from the standard library, because listenTCP() cannot share a port.
    listener = socket.create_server(
        (settings.host, settings.port), reuse_port=settings.workers > 1
    )
    listener.setblocking(False)
    reactor.adoptStreamPort(listener.fileno(), listener.family, factory)
    reactor.run()
