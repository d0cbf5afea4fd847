"""The peer's server and client as processes: plans are input, lines output."""

import json
import sys
import time
from contextlib import contextmanager

import pytest
from tests.unit.programs import started

LIMIT_S = 300


class PeerProcess:
    """A running peer."""

    def __init__(self, process, plan):
        self._process = process
        self.send(json.dumps({"format": 2, **plan}))

    def send(self, text):
        self._process.send(text + "\n")

    def line(self):
        return json.loads(self._process.read_line(time.monotonic() + LIMIT_S))


@contextmanager
def _running(name, **plan):
    program = f"autostrada.calibration.peer.{name}"
    with started(sys.executable, "-m", program) as process:
        yield PeerProcess(process, plan)


@pytest.fixture
def peer():
    """Return a function that runs the server or the client with a plan."""
    return _running


@pytest.fixture
def serving():
    """Return a function that runs the server with faults; yields it and its address."""

    @contextmanager
    def serve(faults=None, feed=None):
        plan = {"listen": "127.0.0.1:0", "faults": faults or {}, "feed": feed or {}}
        with _running("server", **plan) as server:
            ready = server.line()
            assert ready["event"] == "ready"
            yield server, ready["url"]

    return serve
