"""The contract, section 9, for every server that speaks Socket.IO."""

import pytest
from peers.expect import expect_answer, expect_count, expect_no_failures

pytestmark = pytest.mark.where("Socket.IO")

POLLING = {"transport": "polling"}
INVALID_PACKETS = [
    "",
    "9",
    "4",
    "49",
    "42/echo,[",
    '42/echo,"message"',
    "451-/echo,[]",
    b"\x00",
]


@pytest.mark.where("polling")
@pytest.mark.parametrize("content", ["text", "binary"])
def test_messages_are_returned_by_polling(load_at, starter, pool, content):
    server = pool["sequence json"]
    workload = {"kind": "echo", "window": 4, "phases": {"window_s": 0.2}}
    workload["payload"] = {"random_bytes": 1000, "type": content, "stamped": True}
    plan = {"connections": 3, "workload": workload}
    result = load_at(server, "/echo", session=POLLING, **plan)
    expect_no_failures(result)
    assert result["exchange"]["echoed"] == result["exchange"]["sent"] > 0


@pytest.mark.where("polling", "feed")
def test_a_feed_is_sent_by_polling(load_at, pool):
    server = pool["clock binary"]
    feed = {"kind": "clock", "encoding": "binary"}
    workload = {"kind": "receive", "feed": feed, "phases": {"window_s": 20}}
    result = load_at(server, "/feed", session=POLLING, workload=workload)
    expect_no_failures(result)
    expect_count(result["wrong"], 0, "wrong messages")
    assert result["ended"] == "closed"
    handed = server.result()
    assert handed["messages"] == int(server.environment["MESSAGES"])


@pytest.mark.where("polling", "feed")
def test_a_feed_without_an_interval_is_sent_by_polling(load_at, pool):
    server = pool["sequence json"]
    messages = int(server.environment["MESSAGES"])
    # Counted from the grant, with which the first messages, or all, may arrive.
    workload = {"kind": "receive", "feed": {"kind": "sequence"}, "messages": messages}
    result = load_at(server, "/feed", session=POLLING, workload=workload)
    expect_no_failures(result)
    expect_count(result["wrong"], 0, "wrong messages")
    assert result["sequence"]["in_order"] == messages
    assert server.result()["messages"] == messages


@pytest.mark.parametrize("packet", INVALID_PACKETS, ids=repr)
def test_an_invalid_packet_ends_at_most_its_session(pool, packet):
    server = pool["sequence json"]
    with server.connect("/echo") as stays:
        with server.connect("/echo") as other:
            other.connection.send(packet)
        stays.send("still here")
        expect_answer(stays, "still here")
