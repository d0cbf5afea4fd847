"""The load of other processes, and how long an idle machine is waited for."""

import pytest

from autostrada.machine import idle as idle_module
from autostrada.machine.idle import (
    LIMIT_NS,
    LIMITS_MAX,
    LOAD_MAX,
    WINDOW_NS,
    CpuSample,
    IdleWait,
    load_between,
    take_cpu_sample,
)

BUSY, IDLE = LOAD_MAX * 2, LOAD_MAX


def sample(at_s=0.0, busy_s=0.0, own_s=0.0):
    return CpuSample(
        at_ns=round(at_s * 1e9), busy_ns=round(busy_s * 1e9), own_ns=round(own_s * 1e9)
    )


@pytest.mark.parametrize(
    ("after", "load"),
    [
        (sample(1, 0, 0), 0),
        (sample(1, 1.5, 0), 1.5),
        (sample(1, 1.5, 0.5), 1.0),
        (sample(0.5, 1.0, 0), 2.0),
        # Cores are counted in ticks, the run's own work is not.
        (sample(1, 0.1, 0.105), 0),
    ],
)
def test_the_load_is_the_work_of_others(after, load):
    assert load_between(sample(), after) == pytest.approx(load)


def test_a_machine_that_is_never_idle_costs_the_limit_three_times():
    idle_wait = IdleWait()
    for _ in range(LIMITS_MAX):
        assert idle_wait.limit_ns == LIMIT_NS
        idle_wait.note(BUSY)
    assert idle_wait.limit_ns == WINDOW_NS
    idle_wait.note(BUSY)
    assert idle_wait.limit_ns == WINDOW_NS


def test_after_an_idle_wait_the_next_one_is_made():
    idle_wait = IdleWait()
    for _ in range(LIMITS_MAX):
        idle_wait.note(BUSY)
    idle_wait.note(IDLE)
    assert idle_wait.limit_ns == LIMIT_NS


def test_only_consecutive_timeouts_count():
    idle_wait = IdleWait()
    for load in [BUSY] * (LIMITS_MAX - 1) + [IDLE] + [BUSY] * (LIMITS_MAX - 1):
        idle_wait.note(load)
    assert idle_wait.limit_ns == LIMIT_NS


def test_a_busy_machine_is_waited_for_up_to_the_limit(monkeypatch):
    monkeypatch.setattr(idle_module, "LOAD_MAX", -1)
    monkeypatch.setattr(idle_module, "LIMIT_NS", 3 * WINDOW_NS)
    idle_wait = IdleWait()
    waited = [idle_wait.wait_until_idle().waited_ns for _ in range(LIMITS_MAX + 1)]
    assert min(waited[:-1]) >= 3 * WINDOW_NS
    assert waited[-1] >= WINDOW_NS


def test_the_runs_own_work_is_known():
    before = take_cpu_sample()
    spent = sum(range(2_000_000))
    after = take_cpu_sample()
    assert spent
    assert after.own_ns > before.own_ns
    assert after.busy_ns >= before.busy_ns
