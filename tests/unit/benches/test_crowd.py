"""What is made of a crowd's lines, put in by hand."""

import math

import pytest

from autostrada.errors import EngineError
from compare.crowd import (
    Watched,
    feed_rows,
    memory_each,
    one_echo_a_minute,
    unanswered_row,
)

RESULT = {
    "event": "result",
    "connections": 100,
    "failures": [],
    "regularity": {"judged": 1000, "on_time": 990, "backlog": 0},
    "delivery_time_ns": [[1_000_000, 999], [1430 << 20, 1]],
    "exchange": None,
}


def watched(result=RESULT):
    crowd = Watched(connections=100)
    crowd.see({"event": "ready"}, 1)
    crowd.see({"event": "second", "second": 0, "opened": 60}, 1_000)
    crowd.see({"event": "second", "second": 1, "opened": 40}, 2_000)
    crowd.see({"event": "second", "second": 2, "opened": 0}, 3_000)
    crowd.see(result, None)
    return crowd


def test_memory_is_the_most_while_all_were_open():
    crowd = watched()
    assert crowd.connected_s == 2
    assert crowd.resident_bytes == 3_000


def test_a_crowd_that_was_never_complete_was_never_connected():
    crowd = Watched(connections=100)
    crowd.see({"event": "second", "second": 0, "opened": 99}, 1_000)
    assert crowd.connected_s == math.inf
    assert crowd.resident_bytes == 0


def test_what_did_not_open_and_what_failed_is_lost():
    failures = [{"kind": "connect", "count": 3}, {"kind": "reset", "count": 2}]
    assert watched().lost == 0
    assert watched(RESULT | {"connections": 97, "failures": failures}).lost == 8


def test_the_memory_of_a_connection_is_that_of_the_further_ones():
    few = Watched(connections=1_000, resident_bytes=10_000_000)
    many = Watched(connections=11_000, resident_bytes=20_000_000)
    assert memory_each(few, many) == 1_000


def test_a_feed_is_judged_by_connecting_by_what_came_and_by_the_slowest():
    rows = list(feed_rows("crowd", watched()))
    assert [row.figure for row in rows] == [2, 0, ((1431 << 20) - 1) / 1e9]
    assert [row.verdict for row in rows] == ["reached"] * 3
    assert rows[1].details == ("990 of 1,000 were on time (99.000%)",)


def test_a_feed_of_which_nothing_came_is_a_failure():
    with pytest.raises(EngineError, match="no update came"):
        list(feed_rows("crowd", watched(RESULT | {"delivery_time_ns": []})))


def test_what_was_due_and_not_sent_is_without_an_answer_as_well():
    result = {"exchange": {"sent": 90, "unsent": 10, "echoed": 85}}
    row = unanswered_row("crowd", result)
    assert (row.figure, row.verdict) == (15, "not reached")


def test_each_connection_is_due_once_a_minute():
    workload = one_echo_a_minute(600, {"window_s": 5})
    assert workload["schedule"] == {"kind": "constant", "rate_per_s": 10}
