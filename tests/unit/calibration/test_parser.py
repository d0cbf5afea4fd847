"""Metrics from a result line."""

from autostrada.calibration.parser import read

RESULT = {
    "messages": 5,
    "wrong": 1,
    "failures": [{"kind": "mismatch", "count": 1, "example": "x"}],
    "exchange": {
        "sent": 6,
        "echoed": 4,
        "unsent": 2,
        "overdue": 3,
        "offered_rate_per_s": 10.0,
        "achieved_rate_per_s": None,
        "backlog": {"at_window_end": 15, "answered_in_drain": 1, "unanswered": 14},
        "response_time_ns": [[1000, 3], [2048, 1]],
        "service_time_ns": [],
        "send_delay_ns": None,
    },
    "sequence": {
        "missing": 7,
        "gaps": 8,
        "duplicates": 9,
        "reordered": 10,
        "unexpected": 11,
    },
    "regularity": {"judged": 12, "on_time": 13, "burst_max": 14},
    "generator_limited": "too slow",
}


def test_every_metric_is_read_from_its_place():
    reading = read(RESULT)
    assert (reading.messages, reading.wrong) == (5, 1)
    assert reading.failures == {"mismatch": 1}
    assert (reading.sent, reading.echoed) == (6, 4)
    assert reading.has_left_out
    assert (reading.offered_rate_per_s, reading.achieved_rate_per_s) == (10.0, 0.0)
    assert reading.backlog_at_window_end == 15
    assert (reading.missing, reading.gaps, reading.duplicates) == (7, 8, 9)
    assert (reading.reordered, reading.unexpected) == (10, 11)
    assert (reading.judged, reading.on_time, reading.burst_max) == (12, 13, 14)
    assert reading.generator_limited == "too slow"
    assert reading.response_time_ns.count == 4


def test_a_metric_that_a_workload_lacks_is_none():
    reading = read(RESULT | {"exchange": None, "sequence": None, "regularity": None})
    assert (reading.sent, reading.missing, reading.burst_max) == (0, 0, 0)
    assert reading.response_time_ns.quantile_ns(0.5) == 0
    assert reading.response_time_ns.longest_ns == 0
    assert not reading.has_left_out
