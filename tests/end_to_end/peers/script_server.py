"""A server that runs a script with each connection, in any protocol."""

import queue
import threading
from concurrent.futures import Future
from contextlib import suppress

import pytest
from peers.background import LIMIT_S
from websockets.exceptions import ConnectionClosed


class ScriptServer:
    """Runs a script with each connection, in a thread; keeps what each returns."""

    def __init__(self, protocol, script):
        self._protocol = protocol
        self._script = script
        self._server = protocol.serve(self._handle)
        port = self._server.socket.getsockname()[1]
        self.url = f"ws://127.0.0.1:{port}"
        self._ended = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def result(self):
        """Return what the next script to end has returned, or raise its exception."""
        return self._ended.get(timeout=LIMIT_S).result()

    def _handle(self, connection):
        ended = Future()
        try:
            ended.set_result(self._script(self._protocol.accept(connection)))
        except BaseException as error:
            ended.set_exception(error)
        self._ended.put(ended)

    def close(self):
        """Close, and wait for all scripts."""
        self._server.shutdown()
        self._thread.join()


def echo(connection):
    """Send each message back; return the messages and the close code."""
    received = []
    with suppress(ConnectionClosed):
        for message in connection:
            received.append(message)
            connection.send(message)
    return received, connection.close_code


def await_close(connection):
    """Wait until the client closes; return the close code."""
    with suppress(ConnectionClosed):
        connection.recv(timeout=LIMIT_S)
        pytest.fail("the client sent a message instead of closing")
    return connection.close_code
