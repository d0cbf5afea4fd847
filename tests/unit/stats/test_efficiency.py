"""Efficiency and cost, compared with simple numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autostrada.stats.efficiency import (
    HOURS_PER_MONTH,
    Prices,
    Usage,
    cost,
    wire_bytes_per_payload_byte,
)

USAGE = Usage(
    messages=1_000_000, cpu_ns=2_000_000_000, memory_bytes=2**20, connections=4
)
PRICES = Prices(core_hour=0.04, gib_hour=0.005)


def test_a_million_messages_take_two_seconds():
    assert USAGE.messages_per_cpu_s == 500_000
    assert USAGE.cpu_us_per_message == 2
    assert USAGE.memory_bytes_per_connection == 2**18


def test_the_protocol_adds_its_bytes():
    assert wire_bytes_per_payload_byte(13, 11) == pytest.approx(1.1818, abs=1e-4)


def test_a_million_users_keep_two_cores_busy():
    found = cost(USAGE, PRICES, users=1_000_000, messages_per_user_s=1)
    assert found.cores == pytest.approx(2)
    assert found.memory_gib == pytest.approx(1_000_000 / 4096)
    assert found.cpu_per_month == pytest.approx(2 * 0.04 * 730)
    assert found.memory_per_month == pytest.approx(244.140625 * 0.005 * 730)
    assert found.total_per_month == found.cpu_per_month + found.memory_per_month


def test_idle_users_cost_only_memory():
    found = cost(USAGE, PRICES, users=10, messages_per_user_s=0)
    assert (found.cores, found.cpu_per_month) == (0, 0)
    assert found.total_per_month == found.memory_per_month > 0


def test_a_month_is_a_twelfth_of_a_year():
    assert HOURS_PER_MONTH == 730


@given(st.integers(1, 10**9), st.floats(0.001, 1_000))
def test_cost_grows_with_the_users(users, messages_per_user_s):
    one = cost(USAGE, PRICES, users=1, messages_per_user_s=messages_per_user_s)
    all_of_them = cost(
        USAGE, PRICES, users=users, messages_per_user_s=messages_per_user_s
    )
    assert all_of_them.total_per_month == pytest.approx(users * one.total_per_month)
