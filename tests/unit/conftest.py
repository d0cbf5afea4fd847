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
