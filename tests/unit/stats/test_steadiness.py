"""Whether connections are held steadily: each violation, and garbage collection."""

from dataclasses import replace
from functools import partial

import pytest

from autostrada.stats.steadiness import (
    Memory,
    SteadinessInput,
    slope,
    steadiness_violations,
)

MIB = 1024**2
SECONDS = range(0, 601)


def memory(resident_bytes_at):
    return [
        Memory(at_ns=second * 10**9, resident_bytes=int(resident_bytes_at(second)))
        for second in SECONDS
    ]


def sawtooth(second, *, period_s, from_mib, to_mib):
    return (from_mib + (to_mib - from_mib) * (second % period_s) / period_s) * MIB


STEADY = SteadinessInput(
    latency_ms_max=2100.0,
    late_share=0.01,
    disconnected_clients=0,
    memory=memory(lambda second: 300 * MIB),
)


def test_a_feed_that_reaches_all_within_its_interval_is_steady():
    assert steadiness_violations(STEADY) == ()


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"disconnected_clients": 1}, "1 connection dropped"),
        ({"disconnected_clients": 1200}, "1,200 connections dropped"),
        (
            {"late_share": 0.0149},
            "1.5% of the messages arrived after the next one was due, or never: up to "
            "2,100 ms late",
        ),
    ],
)
def test_a_violation_is_described(changed, reason):
    assert steadiness_violations(replace(STEADY, **changed)) == (reason,)


def test_all_reasons_are_given():
    feed = replace(STEADY, disconnected_clients=2, late_share=0.5)
    assert len(steadiness_violations(feed)) == 2


def test_a_leak_is_not_steady():
    leak = memory(lambda second: (300 + second) * MIB)
    (reason,) = steadiness_violations(replace(STEADY, memory=leak))
    assert reason == "the server's memory grew by 300 MiB (40%) in the last 300 s"


@pytest.mark.parametrize(
    ("periods_s", "from_mib", "to_mib"),
    [((1, 7, 45, 299, 600), 60, 108), ((5, 20, 45, 60, 100), 500, 1000)],
    ids=["a young generation", "a heap that doubles"],
)
def test_garbage_collection_is_steady(periods_s, from_mib, to_mib):
    for period_s in periods_s:
        size = {"period_s": period_s, "from_mib": from_mib, "to_mib": to_mib}
        collected = memory(partial(sawtooth, **size))
        assert steadiness_violations(replace(STEADY, memory=collected)) == ()


def test_a_leak_below_a_collector_is_detected():
    leak = memory(
        lambda second: (
            sawtooth(second, period_s=20, from_mib=300, to_mib=400) + second * MIB
        )
    )
    assert len(steadiness_violations(replace(STEADY, memory=leak))) == 1


def test_growth_while_connections_open_is_ignored():
    filled = memory(lambda second: min(second, 290) * 10 * MIB)
    assert steadiness_violations(replace(STEADY, memory=filled)) == ()


def test_decreasing_memory_is_steady():
    assert steadiness_violations(replace(STEADY, memory=STEADY.memory[::-1])) == ()
    falling = memory(lambda second: (1000 - second) * MIB)
    assert steadiness_violations(replace(STEADY, memory=falling)) == ()


@pytest.mark.parametrize("count", [0, 1])
def test_memory_without_two_samples_is_no_violation(count):
    assert steadiness_violations(replace(STEADY, memory=STEADY.memory[:count])) == ()


def test_a_slope_is_that_of_most_points():
    points = [(float(x), 2.0 * x) for x in range(20)]
    points[3] = (3.0, 1e9)
    points[11] = (11.0, -1e9)
    assert slope(points) == pytest.approx(2.0)


def test_points_at_the_same_time_have_no_slope():
    assert slope([(1.0, 5.0), (1.0, 9.0)]) == 0.0
