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


def memory(mib_at):
    return [
        Memory(at_ns=second * 10**9, resident_bytes=int(mib_at(second) * MIB))
        for second in SECONDS
    ]


def sawtooth(second, *, period_s, from_mib, to_mib):
    return from_mib + (to_mib - from_mib) * (second % period_s) / period_s


STEADY = SteadinessInput(
    latency_ms_max=2100.0,
    late_share=0.01,
    disconnected_clients=0,
    memory=memory(lambda second: 300),
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
        (
            {"memory": memory(lambda second: 300 + second)},
            "the server's memory grew by 300 MiB (40%) in the last 300 s",
        ),
    ],
)
def test_a_violation_is_described(changed, reason):
    assert steadiness_violations(replace(STEADY, **changed)) == (reason,)


def test_all_reasons_are_given():
    feed = replace(STEADY, disconnected_clients=2, late_share=0.5)
    assert len(steadiness_violations(feed)) == 2


def collected(periods_s, from_mib, to_mib):
    """Return the memory of a program that collects its garbage at some intervals."""
    size = {"from_mib": from_mib, "to_mib": to_mib}
    return [partial(sawtooth, period_s=each, **size) for each in periods_s]


@pytest.mark.parametrize(
    ("mib_at", "is_steady"),
    [
        # A young generation, and a heap that doubles.
        *((each, True) for each in collected((1, 7, 45, 299, 600), 60, 108)),
        *((each, True) for each in collected((5, 20, 45, 60, 100), 500, 1000)),
        # A leak below a collector.
        (lambda at_s: collected([20], 300, 400)[0](at_s) + at_s, False),
        # Growth while connections open is ignored.
        (lambda at_s: min(at_s, 290) * 10, True),
        (lambda at_s: 1000 - at_s, True),
    ],
)
def test_only_memory_that_leaks_is_not_steady(mib_at, is_steady):
    found = steadiness_violations(replace(STEADY, memory=memory(mib_at)))
    assert (found == ()) is is_steady


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
