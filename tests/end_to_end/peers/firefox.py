"""Firefox, driven by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/)."""

import contextlib
import json
import re
import subprocess

from peers.tool import tool
from websockets.sync.client import connect

LIMIT_S = 120


@contextlib.contextmanager
def firefox(folder):
    """Start Firefox with a profile in a new folder, and yield its only page."""
    program = tool("firefox-esr", "firefox-esr", "firefox")
    options = ["--headless", "--no-remote", "--remote-debugging-port=0"]
    with subprocess.Popen(
        [program, *options, "--profile", str(folder)],
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            listening = re.compile(r"WebDriver BiDi listening on (\S+)")
            found = (listening.search(line) for line in process.stderr)
            address = next(filter(None, found))[1]
            with connect(f"{address}/session", max_size=None) as socket:
                yield FirefoxPage(socket)
        finally:
            process.kill()


class FirefoxPage:
    """A page; what scripts report is in ``messages``."""

    def __init__(self, socket):
        self._socket = socket
        self._commands = 0
        self.messages = []
        self._command("session.new", capabilities={})
        [context] = self._command("browsingContext.getTree")["contexts"]
        self._context = context["context"]
        self._command("session.subscribe", events=["log.entryAdded"])

    def open(self, url, width):
        """Open an address in a window of this width."""
        viewport = {"width": width, "height": 900}
        context = {"context": self._context}
        self._command("browsingContext.setViewport", **context, viewport=viewport)
        self._command("browsingContext.navigate", **context, url=url, wait="complete")

    def evaluate(self, expression):
        """Return the value of a JavaScript expression, or that of its promise."""
        result = self._command(
            "script.evaluate",
            expression=f"(async () => JSON.stringify(await ({expression})))()",
            target={"context": self._context},
            awaitPromise=True,
        )
        assert result["type"] == "success", result
        return json.loads(result["result"].get("value", "null"))

    def _command(self, method, **parameters):
        self._commands += 1
        command = {"id": self._commands, "method": method, "params": parameters}
        self._socket.send(json.dumps(command))
        while True:
            message = json.loads(self._socket.recv(timeout=LIMIT_S))
            if message.get("id") == self._commands:
                assert message["type"] == "success", message
                return message["result"]
            if message.get("method") == "log.entryAdded":
                self.messages.append(message["params"]["text"])
