"""Connections that stop reading, as a server in Node reports them."""

import os
import signal

import pytest
from peers.engine import running

CONNECTIONS = 4
MESSAGES = 600
MESSAGE_BYTES = 16_384
FLOOD = {
    "connections": CONNECTIONS,
    "messages": MESSAGES,
    "bytes": MESSAGE_BYTES,
    "every_ms": 1,
}


def plan(slow, window_s):
    return {
        "connections": CONNECTIONS,
        "workload": {
            "kind": "slow-consumer",
            "payload": {"text": "x" * MESSAGE_BYTES},
            "slow": {"receive_buffer_bytes": 8192} | slow,
            "phases": {"window_s": window_s},
        },
    }


@pytest.fixture
def flooded(node):
    """Return a function that floods clients until half have received all."""

    def run(slow, **flood):
        with node.serve("ws_server", flood=FLOOD | flood) as server:
            wanted = plan({"share": 0.5} | slow, 60)
            with running("load", url=server.url, **wanted) as engine:
                assert "served" in server.line()
                os.kill(engine.pid, signal.SIGINT)
                result = engine.result()
                engine.wait()
            return result, server.report()

    return run


def test_connections_that_stop_reading_are_sent_no_more_and_the_others_everything(
    flooded,
):
    result, connections = flooded({})
    assert result["slow"]["connections"] == 2
    assert result["slow"]["closed"] == 0
    assert result["slow"]["unread_bytes"] > 0
    assert result["slow"]["bytes"] < 2 * MESSAGES * MESSAGE_BYTES
    assert (result["wrong"], result["failures"]) == (0, [])
    assert (result["ended"], result["connections"]) == ("interrupted", 4)
    # Messages before the window do not count.
    assert MESSAGES < result["messages"] <= 2 * MESSAGES
    assert result["bytes"] == result["messages"] * MESSAGE_BYTES
    waiting = [each for each in connections if each["buffered_bytes"] > 0]
    served = [each for each in connections if each["buffered_bytes"] == 0]
    assert (len(waiting), len(served)) == (2, 2)
    assert all(each["sent"] == MESSAGES for each in served)


def test_connections_that_read_slowly_receive_some(flooded):
    result, connections = flooded({"read_bytes_per_s": 1_000_000})
    assert 0 < result["slow"]["bytes"] < 2 * MESSAGES * MESSAGE_BYTES
    assert len([each for each in connections if each["buffered_bytes"] > 0]) == 2


def test_a_server_may_close_slow_connections(flooded):
    result, connections = flooded({}, buffered_bytes_max=1_000_000)
    assert result["slow"]["closed"] == 2
    was_reset = [each["close_code"] == 1006 for each in connections]
    assert sorted(was_reset) == [False, False, True, True]
