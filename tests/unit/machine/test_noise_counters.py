"""Noise between two samples of the kernel's counters."""

import os
import time

import pytest
from tests.unit.programs import started

from autostrada.machine.idle import CpuSample
from autostrada.machine.noise import between, waited_ns

LIMIT_S = 300
CORES = os.cpu_count()


def noise(**counters):
    before = CpuSample(at_ns=0, busy_ns=0, own_ns=0)
    after = {"at_ns": 1000, "busy_ns": 0, "own_ns": 0} | counters
    return between(before, CpuSample(**after))


def test_others_are_everything_except_own_processes_and_interrupts():
    found = noise(busy_ns=900, own_ns=500, interrupts_ns=200, steal_ns=20)
    assert found.others_share == pytest.approx(0.2 / CORES)
    assert found.steal_share == pytest.approx(0.02 / CORES)
    assert found.elapsed_s == pytest.approx(1e-6)


def test_own_usage_beyond_the_count_is_not_that_of_others():
    assert noise(own_ns=1000).others_share == 0


def test_an_ended_process_has_not_waited():
    with started("true") as gone:
        assert waited_ns(gone.pid) >= 0
        gone.wait(time.monotonic() + LIMIT_S)
        assert waited_ns(gone.pid) == 0
