"""
A conversation over TLS, held by calls that wait.

The client of websockets that has threads reads in one and writes in another. Before
Python 3.13 nothing keeps two threads from using one connection of OpenSSL at once, and
now and then a request is lost: what the server sends after the handshake is being read
while it is written. The client that has an event loop uses OpenSSL from one thread.
"""

import asyncio
from contextlib import contextmanager

from peers.background import in_background
from websockets.asyncio.client import connect


class EncryptedConversation:
    """A connection of an event loop elsewhere, as the client with threads shows it."""

    def __init__(self, connection):
        self.connection = connection

    @property
    def close_code(self):
        return self.connection.close_code

    def send(self, message):
        self._call(self.connection.send(message))

    def recv(self, timeout=None):
        return self._call(asyncio.wait_for(self.connection.recv(), timeout))

    def close(self, code=1000):
        self._call(self.connection.close(code))

    def _call(self, coroutine):
        loop = self.connection.loop
        return asyncio.run_coroutine_threadsafe(coroutine, loop).result()


@contextmanager
def connect_encrypted(url, **settings):
    """Connect, and yield the conversation."""
    with in_background(connect(url, **settings)) as connection:
        yield EncryptedConversation(connection)
