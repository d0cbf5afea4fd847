"""Noise between two snapshots of the kernel's counters."""

import os
import sys
import time
from pathlib import Path

import pytest

from autostrada.machine.noise import Snapshot, between, take_snapshot
from autostrada.machine.process import Command, Process

LIMIT_S = 300


def snapshot(**counters):
    zero = {"all_ticks": 0, "busy_ticks": 0, "steal_ticks": 0, "own_ticks": 0.0}
    return Snapshot(**zero | {"waited_ns": 0, "pressure_ns": 0} | counters)


def test_others_are_everything_except_own_processes():
    noise = between(
        snapshot(),
        snapshot(all_ticks=200, busy_ticks=90, own_ticks=50.0, steal_ticks=2),
    )
    assert noise.others_share == pytest.approx(0.2)
    assert noise.steal_share == pytest.approx(0.01)


def test_own_usage_beyond_the_count_is_not_that_of_others():
    noise = between(snapshot(), snapshot(all_ticks=10, own_ticks=1.0))
    assert noise.others_share == 0


def test_the_kernel_counts_the_usage_of_own_processes():
    burn = "import time\nwhile time.process_time() < 0.3: pass\nprint(1)\ninput()"
    with Process(
        Command(arguments=[sys.executable, "-c", burn], folder=Path())
    ) as busy:
        before = take_snapshot([])
        assert busy.read_line(time.monotonic() + LIMIT_S) == "1"
        after = take_snapshot([busy.pid])
    assert after.own_ticks - before.own_ticks >= 0.29 * os.sysconf("SC_CLK_TCK")
    assert after.all_ticks >= before.all_ticks
    assert after.waited_ns >= before.waited_ns
    assert after.pressure_ns >= before.pressure_ns


def test_an_ended_process_has_no_usage():
    with Process(Command(arguments=["true"], folder=Path())) as gone:
        gone.wait(time.monotonic() + LIMIT_S)
        assert take_snapshot([gone.pid]).waited_ns == 0
