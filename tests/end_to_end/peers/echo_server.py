"""A server for echo clients, with answers that a test controls."""

import threading
import time

from websockets.exceptions import ConnectionClosed

LIMIT_S = 120
PACE_S = 0.01
"""Delay of an answer, in seconds: a closed loop at full speed only uses CPU time."""


def echo(connection, message):
    """Send a message back after a delay."""
    time.sleep(PACE_S)
    connection.send(message)


class EchoServer:
    """A server of a protocol that records requests, messages and close codes."""

    def __init__(self, protocol, answer, process_request=None):
        self._protocol = protocol
        self._answer = answer
        self._server = protocol.serve(self._handle, process_request)
        port = self._server.socket.getsockname()[1]
        self.url = f"ws://127.0.0.1:{port}/echo"
        self.received = []
        self.received_at_s = []
        self.requests = []
        self.close_codes = []
        self._all_closed = threading.Semaphore(0)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def wait_for_close_codes(self, connections):
        """Return the close codes once this number of connections is closed."""
        for _ in range(connections):
            assert self._all_closed.acquire(timeout=LIMIT_S)
        return self.close_codes

    def _handle(self, connection):
        self.requests.append(connection.request)
        try:
            connection = self._protocol.accept(connection)
            for message in connection:
                self.received_at_s.append(time.monotonic())
                self.received.append(message)
                self._answer(connection, message)
        except ConnectionClosed:
            pass
        self.close_codes.append(connection.close_code)
        self._all_closed.release()

    def close(self):
        self._server.shutdown()
        self._thread.join()
