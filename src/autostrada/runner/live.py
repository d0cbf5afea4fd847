"""Serves a page and its newer versions, to this machine alone."""

from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from threading import Condition, Thread

LOOPBACK = "127.0.0.1"
CLIENT_S_MAX = 10.0
"""Seconds after which a client that sends or reads nothing is left."""

LAST_S_MAX = 2.0
"""Seconds in which clients must have read the last version."""

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


class LiveServer(ThreadingTCPServer):
    """
    Serves a page at ``/``, and its newest version as an event at ``/events``.

    A client that reads slowly misses versions; it never delays ``publish``. The threads
    end with the process.
    """

    daemon_threads = True

    def __init__(self, html: str) -> None:
        """Start to serve, on a free port."""
        super().__init__((LOOPBACK, 0), _LiveHandler)
        self.html = html.encode()
        self._changed = Condition()
        self._newest, self._has_ended, self._streams = b"", False, 0
        port = self.server_address[1]
        self.hosts = ([f"{LOOPBACK}:{port}"], [f"localhost:{port}"])
        self.url = f"http://{LOOPBACK}:{port}/"
        Thread(target=self.serve_forever, daemon=True).start()

    def publish(self, line: str, *, is_last: bool = False) -> None:
        """Offer a newer version, which is one line of text."""
        with self._changed:
            self._newest = f"data: {line}\n\n".encode()
            self._has_ended = is_last
            self._changed.notify_all()

    def end(self, line: str) -> None:
        """Offer the last version; return when it is read, or after ``LAST_S_MAX``."""
        self.publish(line, is_last=True)
        with self._changed:
            self._changed.wait_for(lambda: not self._streams, LAST_S_MAX)
        self.shutdown()
        self.socket.close()

    def stream(self, write: Callable[[bytes], object]) -> None:
        """Write the newest version, and then newer ones until the last."""
        written, is_last = b"", False
        with self._changed:
            self._streams += 1
        try:
            while not is_last:
                with self._changed:
                    while self._newest is written:
                        self._changed.wait()
                    written, is_last = self._newest, self._has_ended
                write(written)
        finally:
            with self._changed:
                self._streams -= 1
                self._changed.notify_all()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore a client that is gone: the terminal belongs to the run."""


class _LiveHandler(BaseHTTPRequestHandler):
    server: LiveServer
    timeout = CLIENT_S_MAX

    def do_GET(self) -> None:
        """Answer with the page, or with its versions until the last."""
        # Any other name of this address belongs to a foreign page (DNS rebinding).
        if self.headers.get_all("Host") not in self.server.hosts:
            self.send_error(HTTPStatus.FORBIDDEN)
        elif self.path == "/":
            self._begin("text/html; charset=utf-8")
            self.wfile.write(self.server.html)
        elif self.path == "/events":
            self._begin("text/event-stream")
            self.server.stream(self.wfile.write)
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, *_: object) -> None:
        """Print nothing: the terminal belongs to the run."""

    def _begin(self, content_type: str) -> None:
        self.send_response(HTTPStatus.OK)
        for name, value in {"Content-Type": content_type, **HEADERS}.items():
            self.send_header(name, value)
        self.end_headers()
