"""Recovery after an overload, by the seconds of a load."""

import pytest

from autostrada.stats.recovery import SecondLimit, second_limits, seconds_to_recover

LIMITS = second_limits("p99<50ms,errors<=10%,rate>5k")


def second(ms=1.0, messages=10, failures=0):
    times = [[int(ms * 1e6), messages]] if messages else []
    return {"messages": messages, "failures": failures, "response_time_ns": times}


def test_times_and_errors_can_be_met_in_a_second():
    assert [
        SecondLimit(metric="p99", limit=50e6),
        SecondLimit(metric="errors", limit=0.1),
    ] == LIMITS
    assert second_limits("rate>5k,p99>1ms,connections<5") == []


@pytest.mark.parametrize(
    ("each", "is_met"),
    [
        (second(), True),
        (second(ms=60), False),
        (second(messages=0), False),
        (second(failures=1), True),
        (second(failures=2), False),
    ],
)
def test_a_second_without_answers_meets_nothing(each, is_met):
    assert all(limit.is_met(each) for limit in LIMITS) == is_met


@pytest.mark.parametrize(
    ("times_ms", "ended_s", "after_s"),
    [
        ([1, 90, 90, 1, 1, 1], 3.0, 0),
        ([1, 90, 90, 90, 90, 1, 90], 3.2, 2),
        ([1, 90, 1, 90, 1, 1], 2.0, 2),
        ([1, 1, 1, 1], 2.0, 0),
        ([1, 90, 90, 90, 1], 2.0, None),
    ],
)
def test_a_server_has_recovered_once_it_meets_the_objective_for_good(
    times_ms, ended_s, after_s
):
    seconds = [second(ms=ms) for ms in times_ms]
    assert seconds_to_recover(seconds, LIMITS, ended_s) == after_s
