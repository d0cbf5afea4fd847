"""How busy others keep the machine, and how long a quiet one is waited for."""

import subprocess
import sys

import pytest

from autostrada.machine import idle as settle_module
from autostrada.machine.idle import (
    LIMIT_NS,
    LIMITS_MAX,
    LOAD_MAX,
    WINDOW_NS,
    IdleWait,
    Work,
    load_between,
    take_work,
)

BUSY, QUIET = LOAD_MAX * 2, LOAD_MAX


def work(at_s=0.0, busy_s=0.0, own_s=0.0):
    return Work(
        at_ns=round(at_s * 1e9), busy_ns=round(busy_s * 1e9), own_ns=round(own_s * 1e9)
    )


@pytest.mark.parametrize(
    ("after", "load"),
    [
        (work(1, 0, 0), 0),
        (work(1, 1.5, 0), 1.5),
        (work(1, 1.5, 0.5), 1.0),
        (work(0.5, 1.0, 0), 2.0),
        # Cores are told in ticks, our own work is not.
        (work(1, 0.1, 0.105), 0),
    ],
)
def test_the_load_is_what_others_work(after, load):
    assert load_between(work(), after) == pytest.approx(load)


def test_a_machine_that_is_never_quiet_costs_the_limit_three_times():
    settling = IdleWait()
    for _ in range(LIMITS_MAX):
        assert settling.limit_ns == LIMIT_NS
        settling.note(BUSY)
    assert settling.limit_ns == WINDOW_NS
    settling.note(BUSY)
    assert settling.limit_ns == WINDOW_NS


def test_once_it_is_quiet_again_it_is_waited_for_again():
    settling = IdleWait()
    for _ in range(LIMITS_MAX):
        settling.note(BUSY)
    settling.note(QUIET)
    assert settling.limit_ns == LIMIT_NS


def test_only_limits_in_a_row_count():
    settling = IdleWait()
    for load in [BUSY] * (LIMITS_MAX - 1) + [QUIET] + [BUSY] * (LIMITS_MAX - 1):
        settling.note(load)
    assert settling.limit_ns == LIMIT_NS


def test_a_quiet_machine_is_looked_at_for_a_window(monkeypatch):
    monkeypatch.setattr(settle_module, "LOAD_MAX", 1e9)
    settled = IdleWait().wait_until_idle()
    assert settled.waited_ns >= WINDOW_NS
    assert settled.load >= 0


def test_a_machine_that_is_not_quiet_is_waited_for_up_to_the_limit(monkeypatch):
    monkeypatch.setattr(settle_module, "LOAD_MAX", -1)
    monkeypatch.setattr(settle_module, "LIMIT_NS", 3 * WINDOW_NS)
    settling = IdleWait()
    waited = [settling.wait_until_idle().waited_ns for _ in range(LIMITS_MAX + 1)]
    assert min(waited[:-1]) >= 3 * WINDOW_NS
    assert waited[-1] >= WINDOW_NS


def test_the_work_of_others_is_seen(monkeypatch):
    monkeypatch.setattr(settle_module, "LOAD_MAX", -1)
    monkeypatch.setattr(settle_module, "LIMIT_NS", WINDOW_NS)
    with subprocess.Popen(
        [sys.executable, "-c", "print(flush=True)\nwhile True: pass"], stdout=-1
    ) as other:
        other.stdout.readline()
        load = IdleWait().wait_until_idle().load
        other.kill()
    assert load > LOAD_MAX


def test_our_own_work_is_known():
    before = take_work()
    spent = sum(range(2_000_000))
    after = take_work()
    assert spent
    assert after.own_ns > before.own_ns
    assert after.busy_ns >= before.busy_ns
