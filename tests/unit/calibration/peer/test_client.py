"""The peer client with the peer server."""

import pytest

from autostrada.engine.process import read_event

BOTS = {
    "kind": "echo",
    "schedule": {"kind": "constant", "rate_per_s": 500},
    "payload": {"text": "hello", "stamped": True},
    "phases": {"window_s": 0.1, "drain_s": 5},
}


@pytest.fixture
def measure(peer, serving):
    """
    Return a function: the client measures a server with faults; returns the result.
    """

    def run(workload, faults, feed=None):
        with serving(faults, feed) as (_, url):
            path = "feed" if feed else "echo"
            plan = {"url": f"{url}/{path}", "connections": 2, "workload": workload}
            with peer("client", **plan) as client:
                read_event(client, "ready")
                return read_event(client, "result")

    return run


def test_a_healthy_server_answers_everything(measure):
    result = measure(BOTS, {})
    assert (result["messages"], result["wrong"], result["failures"]) == (50, 0, [])
    exchange = result["exchange"]
    assert (exchange["sent"], exchange["echoed"], exchange["unsent"]) == (50, 50, 0)
    assert sum(count for _, count in exchange["response_time_ns"]) == 50
    assert set(result["sequence"].values()) == {0}


def test_answers_of_a_capped_server_in_the_drain_are_not_achieved(measure):
    result = measure(BOTS, {"rate_per_s": 20})
    assert set(result["sequence"].values()) == {0}
    exchange = result["exchange"]
    assert exchange["sent"] == exchange["echoed"] == 50
    backlog = exchange["backlog"]["at_window_end"]
    # On each of two connections the window has room for three answers.
    assert backlog >= 44
    assert exchange["achieved_rate_per_s"] == (50 - backlog) / 0.1


def test_every_message_of_a_push_counts_whatever_its_content(peer, serving):
    feed = {"kind": "clock", "messages": 20, "subscribers": 1}
    with serving({}, feed) as (_, url):
        plan = {
            "url": f"{url}/feed",
            "connections": 1,
            "workload": {"kind": "receive", "messages": 20},
            "slowness": {"rest_ms": 1},
            "tcp": {"receive_buffer_bytes": 65_536},
        }
        with peer("client", **plan) as client:
            result = read_event(client, "result")
    assert (result["messages"], result["failures"]) == (20, [])
    # It rests for 1 ms after each message; a timer may be a little early.
    assert result["ended_ns"] - result["opened_ns"] >= 19_000_000
    assert result["sequence"]["missing"] == 0
