"""The offset of a host's clock."""

import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autostrada.hosts.clock import (
    ClockOffset,
    clock_offset,
    contestant_by_own_clock,
    engine_by_own_clock,
)

ways_ns = st.integers(0, 10**7)


@given(
    st.integers(-(10**15), 10**15), st.lists(st.tuples(ways_ns, ways_ns), min_size=1)
)
def test_the_offset_is_known_to_half_the_shortest_round_trip(offset_ns, round_trips):
    exchanges = []
    for number, (there_ns, back_ns) in enumerate(round_trips):
        asked_ns = number * 10**9
        shown_ns = asked_ns + there_ns + offset_ns
        exchanges.append((asked_ns, shown_ns, asked_ns + there_ns + back_ns))
    found = clock_offset(exchanges)
    shortest_ns = min(there_ns + back_ns for there_ns, back_ns in round_trips)
    assert found.error_ns == -(-shortest_ns // 2)
    assert abs(found.offset_ns - offset_ns) <= found.error_ns


def test_the_same_way_there_and_back_gives_the_exact_offset():
    found = clock_offset([(0, 1_000_050, 100), (200, 1_000_400, 900)])
    assert (found.offset_ns, found.error_ns) == (1_000_000, 50)


CLOCK = ClockOffset(offset_ns=1_000, error_ns=50)


@pytest.mark.parametrize(
    ("published", "times", "is_kept"),
    [
        ([], [[40, 5], [60, 5]], True),
        ([], [[40, 6], [60, 5]], False),
        ([[40, 6]], [[40, 6], [60, 5]], True),
        ([], None, True),
    ],
)
def test_delivery_times_are_left_out_below_the_error_of_the_clock(
    published, times, is_kept
):
    result = {"published": published, "delivery_time_ns": times}
    shown, reason = engine_by_own_clock(result, CLOCK)
    assert shown["delivery_time_ns"] == (times if is_kept else None)
    assert bool(reason) is not is_kept


@pytest.mark.parametrize("times", [{}, {"40": 6}])
def test_a_contestants_instants_are_by_this_machines_clock(times):
    result = {"opened_ns": None, "received_ns": 3_000, "latency_ns": times}
    shown, reason = contestant_by_own_clock(result, CLOCK)
    assert shown == {"opened_ns": None, "received_ns": 2_000, "latency_ns": None}
    assert bool(reason) is bool(times)


AHEAD_S = 12_345
CLOCKS = """
import sys
from autostrada.hosts.agent import Agent
agent = Agent(b"")
for _ in sys.stdin:
    print(agent.clocks()[0], flush=True)
"""


def test_a_clock_that_is_known_to_be_ahead_is_found_to_be():
    namespace = ["unshare", "--time", "--monotonic", str(AHEAD_S), "--fork"]
    if subprocess.run(
        [*namespace, "true"], capture_output=True, check=False
    ).returncode:
        pytest.skip("a time namespace cannot be created")
    with subprocess.Popen(
        [*namespace, sys.executable, "-c", CLOCKS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as host:
        exchanges = []
        for _ in range(20):
            asked_ns = time.monotonic_ns()
            host.stdin.write("\n")
            host.stdin.flush()
            shown_ns = int(host.stdout.readline())
            exchanges.append((asked_ns, shown_ns, time.monotonic_ns()))
        host.stdin.close()
    found = clock_offset(exchanges)
    assert abs(found.offset_ns - AHEAD_S * 10**9) <= found.error_ns
