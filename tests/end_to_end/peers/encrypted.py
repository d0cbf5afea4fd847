"""
A conversation over TLS with blocking calls.

The threading client of websockets reads in one thread and writes in another. Before
Python 3.13, nothing prevents two threads from using one OpenSSL connection at once, and
occasionally a request is lost: the messages after the handshake are read during the
write. The asyncio client uses OpenSSL from a single thread.
"""

import asyncio
from contextlib import contextmanager

from peers.background import in_background
from websockets.asyncio.client import connect


class EncryptedConversation:
    """A connection in a background event loop, with blocking methods."""

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
