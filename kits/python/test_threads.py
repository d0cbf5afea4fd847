"""Tests of concurrent connections."""

from threading import Barrier
from types import SimpleNamespace

import pytest
from autostrada_kit import call_on_threads


def test_every_connection_has_its_own_thread():
    barrier = Barrier(3, timeout=20)
    counting = SimpleNamespace(connections=3)
    received = []

    def work(given):
        barrier.wait()
        received.append(given)

    call_on_threads(work, counting)
    assert received == [counting] * 3


def test_the_failure_of_one_connection_is_raised():
    def work(counting):
        raise OSError("no route")

    with pytest.raises(OSError, match="no route"):
        call_on_threads(work, SimpleNamespace(connections=2))
