"""The peer's server and client as processes: plans are input, lines output."""

import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from autostrada.engine.process import read_event, send_document
from autostrada.machine.process import Command, Process


@contextmanager
def _running(name, **plan):
    arguments = [sys.executable, "-m", f"autostrada.calibration.peer.{name}"]
    with Process(Command(arguments=arguments, folder=Path())) as process:
        send_document(process, {"format": 2, **plan})
        yield process


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
            yield server, read_event(server, "ready")["url"]

    return serve
