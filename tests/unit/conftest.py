"""Deadlines, expected and printed texts, and an orchestrator in its own process."""

import io
import os
import subprocess
import sys
import time

import pytest
from rich.console import Console

LIMIT_S = 300


@pytest.fixture
def deadline_s():
    """Return a point in time that only a defect lets pass."""
    return time.monotonic() + LIMIT_S


@pytest.fixture
def snapshot(request):
    """
    Return a function that compares a text with a file in ``snapshots`` by the test.

    With ``UPDATE_SNAPSHOTS=1`` in the environment the file is written instead.
    """

    def check(name, text):
        path = request.path.parent / "snapshots" / name
        if os.environ.get("UPDATE_SNAPSHOTS"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return check


@pytest.fixture(scope="session")
def printed():
    """Return a function: what another one prints without final spaces."""

    def text(print_all, *arguments, width=80):
        console = Console(file=io.StringIO(), width=width)
        print_all(*arguments, console)
        lines = [line.rstrip() for line in console.file.getvalue().splitlines()]
        assert max(map(len, lines)) <= width
        return "\n".join(lines) + "\n"

    return text


@pytest.fixture
def orchestrate():
    """
    Return a function that runs a script in its own process.

    Adopting and ending orphans affects a whole process, and pytest has other children.
    """

    def run(script, *arguments):
        return subprocess.run(
            [sys.executable, "-c", script, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=True,
        ).stdout

    return run


MANIFEST = """
library  = "fast"
language = "ada"
homepage = "https://example.org/fast"
protocol = "websocket"

[server]
command = ["./server"]
env     = { SPEED = "low" }
tls     = true

[client]
command = ["./client", "--quick"]
env     = { SPEED = "high", COLOUR = "red" }
delivers = "bytes"
validates_utf8 = true

[requires.gnat]
command = ["gnat", "--version"]
matches = 'GNAT 1\\d'
install = "apt install gnat"

[build]
commands = [["gnatmake", "client.adb"]]

[version]
command = ["./version"]

[[variant]]
name = "tasks"
env  = { SPEED = "tasks" }

[[variant]]
name     = "fork"
env      = { FORK = "yes" }
programs = ["server"]
"""

EXPERIMENT = """
title       = "The race"
question    = "Who is fast?"
repetitions = 5
limit_s     = 60
clients = ["reference", "ada-fast"]

[[workload]]
name             = "batched"
kind             = "push"
messages         = 1_000
payload_text     = "hello world"
frames_per_write = "many"
"""


@pytest.fixture
def manifest():
    return MANIFEST


@pytest.fixture
def experiment():
    return EXPERIMENT
