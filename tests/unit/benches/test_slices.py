"""Slices of clients: what is compared, and with which."""

from compare.slices import Slice, fastest_row
from compare.table import ENGINE, Bar

BAR = Bar(relation="≥", value=0.9)


def slices_of(*rates_per_s):
    return [Slice(rate, lasted_ns=10**9, busy_ns=10**9) for rate in rates_per_s]


def test_the_engine_is_compared_with_the_fastest_other_client_within_rounds():
    found = {
        ENGINE: slices_of(*[80, 160] * 20),
        "fast": slices_of(*[100, 200] * 20),
        "slow": slices_of(*[50, 100] * 20),
    }
    row = fastest_row("echo", BAR, found, {"slow": "v2"})
    assert (row.metric, row.bounds) == (0.8, (0.8, 0.8))
    assert row.verdict == "not reached"
    assert row.details[0] == "the fastest other one is fast"
    assert row.details[-1].startswith("slow v2: 75 messages/s")


def test_the_slices_of_a_round_are_one():
    both = Slice(10, lasted_ns=10**9, busy_ns=500) + Slice(30, 10**9, 700)
    assert (both.rate_per_s, both.cpu_ns) == (20, 30)
