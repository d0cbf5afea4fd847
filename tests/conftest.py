"""For all tests: hypothesis without deadlines, bytecode, the end of a process."""

import os
import select
import signal

import hypothesis
import pytest

GONE_LIMIT_MS = 200_000

# A deadline per example would be an assertion about timing.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

# Some hundred processes import the same modules: they are compiled once, not by each.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A shell makes its background processes ignore SIGINT, and their children inherit it.
signal.signal(signal.SIGINT, signal.default_int_handler)


def wait_until_gone(pid):
    """Wait for the end of any process; return whether it ended in time."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(GONE_LIMIT_MS))
    finally:
        os.close(descriptor)


@pytest.fixture
def is_gone():
    return wait_until_gone
