"""Metrics of a crowd, from given lines."""

import math
import re

import pytest

from autostrada.errors import EngineError
from compare.crowd import (
    CrowdMetrics,
    feed_rows,
    memory_each,
    one_echo_per_minute,
    shortage,
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


def crowd_metrics(result=RESULT):
    crowd = CrowdMetrics(connections=100)
    crowd.record_line({"event": "ready"}, 1)
    crowd.record_line({"event": "second", "second": 0, "opened": 60}, 1_000)
    crowd.record_line({"event": "second", "second": 1, "opened": 40}, 2_000)
    crowd.record_line({"event": "second", "second": 2, "opened": 0}, 3_000)
    crowd.record_line(result, 0)
    return crowd


def test_memory_is_the_maximum_while_all_were_open():
    crowd = crowd_metrics()
    assert crowd.connected_s == 2
    assert crowd.resident_bytes == 3_000


def test_a_crowd_that_was_never_complete_has_no_connection_time():
    crowd = CrowdMetrics(connections=100)
    crowd.record_line({"event": "second", "second": 0, "opened": 99}, 1_000)
    assert crowd.connected_s == math.inf
    assert crowd.resident_bytes == 0


def test_unopened_and_failed_connections_are_lost():
    failures = [{"kind": "connect", "count": 3}, {"kind": "reset", "count": 2}]
    assert crowd_metrics().lost == 0
    assert crowd_metrics(RESULT | {"connections": 97, "failures": failures}).lost == 8


def test_the_memory_of_a_connection_is_that_of_the_additional_ones():
    few = CrowdMetrics(connections=1_000, resident_bytes=10_000_000)
    many = CrowdMetrics(connections=11_000, resident_bytes=20_000_000)
    assert memory_each(few, many) == 1_000


def test_a_feed_is_measured_by_connecting_by_delivery_and_by_the_slowest():
    rows = list(feed_rows("crowd", crowd_metrics()))
    assert [row.metric for row in rows] == [2, 0, ((1430 << 20) + (1 << 19)) / 1e9]
    assert [row.verdict for row in rows] == ["reached"] * 3
    assert rows[1].details == ("990 of 1,000 were on time (99.000%)",)


def test_a_feed_without_messages_is_a_failure():
    with pytest.raises(EngineError, match="no update was received"):
        list(feed_rows("crowd", crowd_metrics(RESULT | {"delivery_time_ns": []})))


def test_unsent_messages_count_as_unanswered():
    result = {"exchange": {"sent": 90, "unsent": 10, "echoed": 85}}
    row = unanswered_row("crowd", result)
    assert (row.metric, row.verdict) == (15, "not reached")


def test_each_connection_is_due_once_a_minute():
    workload = one_echo_per_minute(600, {"window_s": 5})
    assert workload["schedule"] == {"kind": "constant", "rate_per_s": 10}


def test_missing_memory_and_open_files_are_named():
    assert shortage(1, bytes_each=1) is None
    needed = "1024.0 GiB of memory are needed, .* available"
    assert re.match(needed, shortage(2**20, bytes_each=2**20))
    needed = "18,446,744,073,709,551,616 open files are needed, .* fs.file-max"
    assert re.match(needed, shortage(2**63, bytes_each=0))
