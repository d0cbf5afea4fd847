"""Tests of connections side by side."""

from threading import Barrier
from types import SimpleNamespace

import pytest
from autostrada_kit import call_on_threads


def test_every_connection_has_a_thread_of_its_own():
    barrier = Barrier(3, timeout=20)
    counting = SimpleNamespace(connections=3)
    seen = []

    def work(given):
        barrier.wait()
        seen.append(given)

    call_on_threads(work, counting)
    assert seen == [counting] * 3


def test_the_failure_of_one_is_raised():
    def work(counting):
        raise OSError("no route")

    with pytest.raises(OSError, match="no route"):
        call_on_threads(work, SimpleNamespace(connections=2))
