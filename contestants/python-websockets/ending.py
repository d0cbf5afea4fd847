"""Distinguishes the end of a connection from a message that websockets rejects."""

import sys
from contextlib import contextmanager

from websockets.exceptions import ConnectionClosed


@contextmanager
def ending():
    try:
        yield
    except ConnectionClosed as error:
        if error.sent and not error.rcvd_then_sent:
            raise  # The library closed the connection itself.
        print(error, file=sys.stderr)
