"""The output of k6's scripts, and the rates computed from it."""

import os

import pytest

from autostrada.errors import EngineError
from compare.k6 import cpu_ns, parse_event, wall_ns_per_message


def test_the_rates_of_all_virtual_users_are_added():
    ends = [
        {"messages": 1000, "duration_ms": 2000},
        {"messages": 3000, "duration_ms": 2000},
    ]
    assert wall_ns_per_message(ends) == 500_000


@pytest.mark.parametrize("ends", [[], [{"messages": 0, "duration_ms": 2000}]])
def test_no_message_is_a_failure(ends):
    with pytest.raises(EngineError, match="k6 exchanged no message"):
        wall_ns_per_message(ends)


def test_an_event_is_parsed():
    assert parse_event('{"event": "begin"}\n') == {"event": "begin"}


@pytest.mark.parametrize("line", ["TypeError: no\n", "[1]", '{"event": "other"}'])
def test_any_other_output_of_k6_is_a_failure_and_shown(line):
    with pytest.raises(EngineError, match="k6 says"):
        parse_event(line)


def test_the_cpu_time_of_a_process_is_read():
    tick_ns = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
    times = os.times()
    assert cpu_ns(os.getpid()) >= (times.user + times.system) * 1e9 - 2 * tick_ns
