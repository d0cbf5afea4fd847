"""What bots say, and the figures that follow from it."""

import json

import pytest

from autostrada.errors import ClosedEarly, Miscounted, TimedOut
from autostrada.experiment.workload import Bots
from autostrada.runner.engine import Second
from autostrada.runner.trial.bots.answers import (
    BotsLoadResult,
    BotsResult,
    all_faults,
    answer_figures,
    answers_of_contestant,
    answers_of_engine,
    due_in_window,
    response_buckets,
)

WORKLOAD = Bots(
    name="bots", kind="bots", connections=3, every_ms=100, warm_up_s=0.05, window_s=2
)
DUE = 60
LOADED = {
    "event": "result",
    "connections": 3,
    "wrong": 0,
    "failures": [],
    "exchange": {
        "offered_rate_per_s": 30.0,
        "achieved_rate_per_s": 27.0,
        "sent": 57,
        "overdue": 3,
        "echoed": 54,
        "response_time_ns": [[1_000_000, 50], [3_000_000, 4]],
    },
    "sequence": None,
    "regularity": None,
    "busy_shares": [0.2],
    "window_start_ns": 10_500_000_000,
    "window_ns": 2_000_000_000,
    "ended": "complete",
    "generator_limited": None,
    "opened_ns": 10_000_000_000,
    "connect_response_time_ns": [[2_000_000, 2], [8_000_000, 1]],
}
PLAYED = {
    "event": "result",
    "connections": 3,
    "sent": DUE,
    "echoed": 59,
    "wrong": 0,
    "window_ns": 2_000_000_000,
    "response_time_ns": {"1000000": 58, "2000000": 1},
}
LOST = {"kind": "read", "count": 3, "example": "reset by peer"}


def second(number, messages=30):
    return Second(
        event="second",
        second=number,
        messages=messages,
        bytes=0,
        read_bytes=13 * messages,
        written_bytes=17 * messages,
    )


def of_engine(seconds=(), **changes):
    result = BotsLoadResult.model_validate_json(json.dumps(LOADED | changes))
    return answers_of_engine(result, seconds, WORKLOAD)


def of_contestant(workload=WORKLOAD, **changes):
    result = BotsResult.model_validate_json(json.dumps(PLAYED | changes))
    return answers_of_contestant(result, 50_000_000_000, workload)


def figures(answers):
    return {each.figure: each.value for each in answer_figures(answers)}


def test_the_engine_knows_what_was_due_and_answered():
    found = figures(of_engine())
    assert (found["offered_per_s"], found["achieved_per_s"]) == (30, 27)
    assert found["achieved_share"] == 0.9
    assert found["sent_share"] == 0.95
    assert found["response_ms_p50"] == pytest.approx(1, rel=1e-3)
    assert found["response_ms_p99"] == pytest.approx(3, rel=1e-3)
    assert found["response_ms_mean"] == pytest.approx(62 / 54, rel=1e-3)
    assert found["connect_ms_p50"] == pytest.approx(2, rel=1e-3)
    assert found["connect_s"] == pytest.approx(0.008, rel=1e-3)


def test_only_seconds_that_lie_in_the_window_tell_what_went_over_the_wire():
    # The window is from half a second after the first connection opened, for two.
    seconds = [second(0, 7), second(1), second(2, 60)]
    found = figures(of_engine(seconds))
    assert found["wire_bytes_per_s"] == 900
    assert found["wire_bytes_per_event"] == 30


def test_a_window_without_a_whole_second_has_no_figures_of_the_wire():
    assert "wire_bytes_per_s" not in figures(of_engine([second(0), second(2)]))
    assert "wire_bytes_per_event" not in figures(of_engine([second(1, 0)]))


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"ended": "reset", "failures": [LOST]}, ClosedEarly, "opened no connection: "),
        ({"connections": 0}, ClosedEarly, "opened no connection"),
        (
            {"ended": "closed", "failures": [LOST]},
            ClosedEarly,
            "window was over: reset",
        ),
        (
            {"exchange": LOADED["exchange"] | {"echoed": 0}},
            TimedOut,
            "answered no event",
        ),
        (
            {"exchange": LOADED["exchange"] | {"echoed": 0}, "failures": [LOST]},
            ClosedEarly,
            "ended all connections",
        ),
    ],
)
def test_a_server_that_answers_nobody_has_failed(changes, error, message):
    with pytest.raises(error, match=message) as raised:
        of_engine(**changes)
    assert raised.value.process == "server"


def test_a_server_that_loses_some_has_not():
    assert of_engine(failures=[LOST]).echoed == 54


def test_connections_that_never_opened_are_faults():
    answers = of_engine(connections=2)
    assert all_faults(answers, "") == "1 of the connections never opened"
    assert all_faults(answers, "3 broke").endswith("never opened; 3 broke")
    assert all_faults(of_engine(), "") == ""


def test_a_contestant_knows_what_it_sent():
    answers = of_contestant()
    found = figures(answers)
    assert (found["offered_per_s"], found["achieved_per_s"]) == (30, 29.5)
    assert found["response_ms_max"] == 2
    assert answers.load.window_start_ns == 48_000_000_000
    assert [each.kind for each in answers.load.failures] == ["timeout"]
    assert not any(name.startswith(("connect", "wire")) for name in found)


@pytest.mark.parametrize(
    "changes",
    [
        {"connections": 2},
        {"sent": 59},
        {"window_ns": 1_000_000_000},
        {"echoed": 60},
        {"echoed": 0, "response_time_ns": {}},
    ],
)
def test_a_contestant_is_held_to_its_plan(changes):
    with pytest.raises(Miscounted) as raised:
        of_contestant(**changes)
    assert raised.value.process == "client"


@pytest.mark.parametrize(
    ("connections", "every_ms", "warm_up_s", "window_s", "due"),
    [
        (1, 1000, 0, 1, 1),
        (1, 1000, 0.5, 1, 1),
        (1, 1000, 0, 0.5, 1),
        (1, 1000, 0.5, 0.4, 0),
        (3, 100, 0.05, 2, 60),
        (7, 33.3, 0.1, 1.9, 400),
    ],
)
def test_what_is_due_in_the_window_is_known(
    connections, every_ms, warm_up_s, window_s, due
):
    workload = Bots(
        name="bots",
        kind="bots",
        connections=connections,
        every_ms=every_ms,
        warm_up_s=warm_up_s,
        window_s=window_s,
    )
    every_ns, start_ns = round(every_ms * 1e6), round(warm_up_s * 1e9)
    end_ns = start_ns + round(window_s * 1e9)
    instants = [
        number * every_ns // connections + event * every_ns
        for number in range(connections)
        for event in range(2000)
    ]
    counted = sum(start_ns <= instant < end_ns for instant in instants)
    assert due_in_window(workload) == counted
    assert counted == pytest.approx(due, rel=0.01)


def test_response_times_are_stored_by_their_buckets():
    buckets = response_buckets(of_contestant())
    assert [(each.value_ns, each.count) for each in buckets] == [
        (1_000_000, 58),
        (2_000_000, 1),
    ]
