"""What bots say, and the figures that follow from it."""

import json

import pytest

from autostrada.errors import ClosedEarly, TimedOut
from autostrada.experiment.workload import Bots
from autostrada.runner.engine import Second
from autostrada.runner.trial.bots.answers import (
    BotsLoadResult,
    all_faults,
    answer_figures,
    answers_of_engine,
    response_buckets,
)

WORKLOAD = Bots(
    name="bots", kind="bots", connections=3, every_ms=100, warm_up_s=0.05, window_s=2
)
LOADED = {
    "event": "result",
    "connections": 3,
    "wrong": 0,
    "failures": [],
    "exchange": {
        "offered_rate_per_s": 30.0,
        "achieved_share": 0.85,
        "sent": 57,
        "overdue": 3,
        "echoed": 54,
        "completed": 50,
        "backlog": {"at_window_end": 7, "answered_in_drain": 4, "unanswered": 3},
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


def figures(answers):
    return {each.figure: each.value for each in answer_figures(answers)}


def test_the_engine_knows_what_was_due_and_answered():
    found = figures(of_engine())
    assert (found["offered_per_s"], found["achieved_per_s"]) == (30, 25)
    assert found["achieved_share"] == 0.85
    assert found["backlog_at_window_end_messages"] == 7
    assert found["backlog_answered_in_drain_messages"] == 4
    assert found["backlog_unanswered_messages"] == 3
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
    assert of_engine(failures=[LOST]).completed == 50


def test_connections_that_never_opened_are_faults():
    answers = of_engine(connections=2)
    assert all_faults(answers, "") == "1 of the connections never opened"
    assert all_faults(answers, "3 broke").endswith("never opened; 3 broke")
    assert all_faults(of_engine(), "") == ""


def test_response_times_are_stored_by_their_buckets():
    buckets = response_buckets(of_engine())
    assert [each.count for each in buckets] == [50, 4]
    assert buckets[0].value_ns == pytest.approx(1_000_000, rel=1e-3)
