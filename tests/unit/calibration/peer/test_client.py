"""The peer client with the peer server."""

import pytest

BOTS = {
    "kind": "echo",
    "schedule": {"kind": "constant", "rate_per_s": 500},
    "payload": {"text": "hello", "stamped": True},
    "phases": {"window_s": 0.1, "drain_s": 5},
}
FEED = {"kind": "sequence", "messages": 20, "subscribers": 2}


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
                assert client.line() == {"event": "ready"}
                return client.line()

    return run


def test_a_healthy_server_answers_everything(measure):
    result = measure(BOTS, {})
    assert (result["messages"], result["wrong"], result["failures"]) == (50, 0, [])
    exchange = result["exchange"]
    assert (exchange["sent"], exchange["echoed"], exchange["unsent"]) == (50, 50, 0)
    assert sum(count for _, count in exchange["response_time_ns"]) == 50
    assert set(result["sequence"].values()) == {0}


@pytest.mark.parametrize(
    ("faults", "counts"),
    [
        ({"lose_every": 4}, {"missing": 12, "gaps": 12}),
        ({"repeat_every": 4}, {"duplicates": 12}),
        ({"swap_every": 4}, {"gaps": 12, "reordered": 12}),
    ],
)
def test_lost_duplicate_and_reordered_messages_are_counted(measure, faults, counts):
    phases = BOTS["phases"] | {"drain_s": 0.2}
    result = measure(BOTS | {"phases": phases}, faults)
    counted = {name: count for name, count in result["sequence"].items() if count}
    assert counted == counts
    lost = 12 if "lose_every" in faults else 0
    assert result["exchange"]["echoed"] == 50 - lost


def test_answers_of_a_capped_server_in_the_drain_are_not_achieved(measure):
    exchange = measure(BOTS, {"rate_per_s": 20})["exchange"]
    backlog = exchange["backlog"]
    assert exchange["completed"] < exchange["sent"] == exchange["echoed"] == 50
    assert exchange["achieved_rate_per_s"] == exchange["completed"] / 0.1
    assert backlog["at_window_end"] == 50 - exchange["completed"]
    assert backlog["answered_in_drain"] == backlog["at_window_end"]
    assert backlog["unanswered"] == 0


def test_a_wrong_message_is_not_an_answer(measure):
    result = measure(BOTS, {"corrupt_every": 4})
    assert (result["wrong"], result["exchange"]["echoed"]) == (12, 38)


@pytest.mark.parametrize(
    ("fault", "kind"), [("close_after", "close"), ("abort_after", "read")]
)
def test_the_end_of_a_connection_is_reported_by_kind(measure, fault, kind):
    # With long intervals: a message that is sent after a reset would discard others.
    slow = {
        "schedule": {"kind": "constant", "rate_per_s": 40},
        "phases": {"window_s": 0.4, "drain_s": 0},
    }
    result = measure(BOTS | slow, {fault: 5})
    assert result["failures"] == [{"kind": kind, "count": 2}]
    assert result["messages"] == 10


def test_a_feed_is_received_up_to_the_requested_number(measure):
    workload = {"kind": "receive", "messages": 18, "feed": {"kind": "sequence"}}
    result = measure(workload, {"lose_every": 7}, FEED)
    assert result["messages"] == 36
    assert result["sequence"]["missing"] == 4


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
            assert client.line() == {"event": "ready"}
            result = client.line()
    assert (result["messages"], result["failures"]) == (20, [])
    assert result["sequence"]["missing"] == 0
