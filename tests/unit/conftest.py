"""Instants by which something must have happened, and an orchestrator of its own."""

import subprocess
import sys
import time

import pytest

LIMIT_S = 30


@pytest.fixture
def deadline_s():
    """Return an instant that only a defect lets come."""
    return time.monotonic() + LIMIT_S


@pytest.fixture
def orchestrate():
    """
    Run a script in a process of its own.

    Adopting and ending orphans concerns a whole process: pytest has other children.
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
warm_ups    = 1
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
