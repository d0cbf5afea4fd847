"""Connections that stop reading, by the word of a server in Node."""

import pytest
from peers.engine import load

MESSAGES = 200
MESSAGE_BYTES = 65_536


@pytest.fixture
def flooded(node):
    """Return what runs a flood, and returns the result and the server's word."""

    def run(slow, **flood):
        wanted = {
            "connections": 4,
            "messages": MESSAGES,
            "bytes": MESSAGE_BYTES,
            "every_ms": 1,
        }
        workload = {
            "kind": "slow-consumer",
            "payload": {"text": "x" * MESSAGE_BYTES},
            "slow": {"share": 0.5, "receive_buffer_bytes": 8192} | slow,
            "phases": {"window_s": 1.5},
        }
        with node.serve("ws_server", flood=wanted | flood) as server:
            result = load(url=server.url, workload=workload, connections=4)
            return result, server.report()

    return run


def test_those_that_stop_reading_are_sent_no_more(flooded):
    result, connections = flooded({})
    waiting = [each for each in connections if each["buffered_bytes"] > 0]
    assert len(waiting) == 2
    assert all(each["sent"] == MESSAGES for each in connections)
    assert result["slow"]["connections"] == 2
    assert result["slow"]["closed"] == 0
    assert result["slow"]["unread_bytes"] > 0
    assert result["slow"]["bytes"] < 2 * MESSAGES * MESSAGE_BYTES


def test_the_others_get_all(flooded):
    result, _ = flooded({})
    assert (result["wrong"], result["failures"]) == (0, [])
    assert result["ended"] == "complete"
    assert result["connections"] == 4
    slow = result["slow"]
    received = result["messages"] + slow["messages"]
    assert 2 * MESSAGES - 10 <= result["messages"] <= 2 * MESSAGES
    assert received < 4 * MESSAGES
    assert result["bytes"] == result["messages"] * MESSAGE_BYTES


def test_those_that_read_slowly_get_some(flooded):
    result, connections = flooded({"read_bytes_per_s": 1_000_000})
    assert 0 < result["slow"]["bytes"] < 2 * MESSAGES * MESSAGE_BYTES
    assert len([each for each in connections if each["buffered_bytes"] > 0]) == 2


def test_a_server_may_lose_patience(flooded):
    result, connections = flooded({}, buffered_bytes_max=1_000_000)
    assert result["slow"]["closed"] == 2
    assert sorted(each["sent"] == MESSAGES for each in connections) == [
        False,
        False,
        True,
        True,
    ]


def test_a_share_of_all_may_be_slow(flooded):
    result, connections = flooded({"share": 1})
    assert result["slow"]["connections"] == 4
    assert all(each["buffered_bytes"] > 0 for each in connections)
    assert result["messages"] == 0
