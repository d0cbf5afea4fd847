"""A peer is as slow as configured."""

import asyncio
import time

from autostrada.calibration.peer.delay import Slowness


def test_by_default_it_is_not_slow():
    asyncio.run(Slowness().apply())


def test_work_uses_the_cpu():
    slowness = Slowness(burn_us=5000)
    before_ns = time.thread_time_ns()
    asyncio.run(slowness.apply())
    assert time.thread_time_ns() - before_ns >= 5_000_000


def test_rest_takes_time():
    slowness = Slowness(rest_ms=5)
    before_ns = time.monotonic_ns()
    asyncio.run(slowness.apply())
    assert time.monotonic_ns() - before_ns >= 4_900_000
