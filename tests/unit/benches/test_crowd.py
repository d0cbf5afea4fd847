"""Metrics of a crowd, from given lines."""

import math
import re

import pytest

from compare.crowd import PLAIN_BAR, CrowdMetrics, crowd_rows, shortage

RESULT = {
    "event": "result",
    "connections": 100,
    "failures": [],
    "exchange": {"sent": 90, "unsent": 10, "echoed": 85},
}


def crowd_metrics(opened=(60, 40, 0), **changes):
    crowd = CrowdMetrics(connections=100)
    crowd.record_line({"event": "ready"}, 1)
    for second, count in enumerate(opened):
        line = {"event": "second", "second": second, "opened": count}
        crowd.record_line(line, 1_000 * (second + 1))
    crowd.record_line(RESULT | changes, 0)
    return crowd


@pytest.mark.parametrize(
    ("opened", "connected_s", "resident_bytes"),
    [((60, 40, 0), 2, 3_000), ((99,), math.inf, 0)],
)
def test_memory_is_the_maximum_while_all_were_open(opened, connected_s, resident_bytes):
    crowd = crowd_metrics(opened)
    assert (crowd.connected_s, crowd.resident_bytes) == (connected_s, resident_bytes)


def test_unopened_and_failed_connections_are_lost():
    failures = [{"kind": "connect", "count": 3}, {"kind": "reset", "count": 2}]
    assert crowd_metrics().lost == 0
    assert crowd_metrics(connections=97, failures=failures).lost == 8


def test_rows_are_of_all_connections_and_memory_is_of_the_additional_ones():
    few = CrowdMetrics(connections=10, resident_bytes=120)
    rows = list(crowd_rows("crowd", few, crowd_metrics(), memory_bar=PLAIN_BAR))
    unanswered = 15
    memory_kib = (3_000 - 120) / 90 / 1024
    assert [row.metric for row in rows] == [0, 100 / 2, memory_kib, unanswered]
    assert [row.verdict == "reached" for row in rows] == [True, False, True, False]
    never = list(crowd_rows("crowd", few, crowd_metrics((99,)), memory_bar=PLAIN_BAR))
    assert never[1].metric == 0


def test_missing_memory_and_open_files_are_named():
    assert shortage(1, bytes_each=1) is None
    needed = "1024.0 GiB of memory are needed, .* available"
    assert re.match(needed, shortage(2**20, bytes_each=2**20))
    needed = "18,446,744,073,709,551,616 open files are needed, .* fs.file-max"
    assert re.match(needed, shortage(2**63, bytes_each=0))
