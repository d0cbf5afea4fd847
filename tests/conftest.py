"""What tests of several kinds need: no deadlines, and to see that a process is gone."""

import os
import select
import signal

import hypothesis
import pytest

GONE_LIMIT_MS = 20_000

# A deadline of an example would be an assertion on timing.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

# A shell has what it starts in the background ignore it, and so all that this starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


def wait_until_gone(pid):
    """Wait for the end of any process; return whether it came."""
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
