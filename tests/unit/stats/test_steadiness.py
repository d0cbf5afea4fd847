"""Whether connections are held steadily: each way to fail, and a collector that may."""

from dataclasses import replace

import pytest

from autostrada.stats.steadiness import Hold, Memory, slope, unsteadiness

MIB = 1024**2
SECONDS = range(0, 601)


def memory(resident_bytes_at):
    return [
        Memory(at_ns=second * 10**9, resident_bytes=int(resident_bytes_at(second)))
        for second in SECONDS
    ]


def sawtooth(second, *, period_s, from_mib, to_mib):
    return (from_mib + (to_mib - from_mib) * (second % period_s) / period_s) * MIB


STEADY = Hold(
    every_ms=2000.0,
    latency_ms_max=1990.0,
    delivered_messages=700,
    late_messages=0,
    dropped_messages=0,
    backlog_messages=0,
    burst_max_messages=1,
    disconnected_clients=0,
    memory=memory(lambda second: 300 * MIB),
)


def test_a_feed_that_reaches_everybody_within_its_interval_is_steady():
    assert unsteadiness(STEADY) == ()


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"disconnected_clients": 1}, "1 connection dropped"),
        ({"disconnected_clients": 1200}, "1,200 connections dropped"),
        ({"dropped_messages": 7}, "7 messages were sent and did not come"),
        ({"backlog_messages": 40_000}, "40,000 messages were due and did not come"),
        (
            {"latency_ms_max": 2001.0, "late_messages": 21},
            "21 messages (3.00%) came later than the next one was due: after up to "
            "2,001 ms, and they are 2,000 ms apart",
        ),
        ({"burst_max_messages": 3}, "3 messages came at once"),
    ],
)
def test_what_is_not_steady_is_said_in_words(changed, reason):
    assert unsteadiness(replace(STEADY, **changed)) == (reason,)


def test_all_reasons_are_given():
    hold = replace(STEADY, disconnected_clients=2, burst_max_messages=4)
    assert len(unsteadiness(hold)) == 2


def test_a_leak_is_not_steady():
    leak = memory(lambda second: (300 + second) * MIB)
    (reason,) = unsteadiness(replace(STEADY, memory=leak))
    assert reason == "the server's memory grew by 300 MiB (40%) in the last 300 s"


@pytest.mark.parametrize("period_s", [1, 7, 45, 299, 600])
def test_a_collector_of_a_young_generation_is_steady(period_s):
    collected = memory(
        lambda second: sawtooth(second, period_s=period_s, from_mib=60, to_mib=108)
    )
    assert unsteadiness(replace(STEADY, memory=collected)) == ()


@pytest.mark.parametrize("period_s", [5, 20, 45, 60, 100])
def test_a_collector_that_lets_a_heap_double_often_is_steady(period_s):
    collected = memory(
        lambda second: sawtooth(second, period_s=period_s, from_mib=500, to_mib=1000)
    )
    assert unsteadiness(replace(STEADY, memory=collected)) == ()


def test_a_leak_below_a_collector_is_seen():
    leak = memory(
        lambda second: (
            sawtooth(second, period_s=20, from_mib=300, to_mib=400) + second * MIB
        )
    )
    assert len(unsteadiness(replace(STEADY, memory=leak))) == 1


def test_what_grows_while_connections_open_is_forgiven():
    filled = memory(lambda second: min(second, 290) * 10 * MIB)
    assert unsteadiness(replace(STEADY, memory=filled)) == ()


def test_memory_that_falls_is_steady():
    assert unsteadiness(replace(STEADY, memory=STEADY.memory[::-1])) == ()
    falling = memory(lambda second: (1000 - second) * MIB)
    assert unsteadiness(replace(STEADY, memory=falling)) == ()


@pytest.mark.parametrize("looks", [0, 1])
def test_memory_that_nobody_looked_at_twice_is_no_reason(looks):
    assert unsteadiness(replace(STEADY, memory=STEADY.memory[:looks])) == ()


def test_a_slope_is_that_of_most_points():
    points = [(float(x), 2.0 * x) for x in range(20)]
    points[3] = (3.0, 1e9)
    points[11] = (11.0, -1e9)
    assert slope(points) == pytest.approx(2.0)


def test_points_of_one_instant_have_no_slope():
    assert slope([(1.0, 5.0), (1.0, 9.0)]) == 0.0
