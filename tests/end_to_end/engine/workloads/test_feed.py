"""Feeds that another library sends, with known faults."""

import time

import pytest
from peers.engine import count, failures, load
from peers.feeds import ENCODINGS, KINDS, encode
from peers.websocket import broadcasting, pushing, ticking, websocket_peer

NUMBERED = ["sequence", "stocks"]
DATED = ["clock", "stocks"]


def receive(handler, messages, feed, **settings):
    """Receive ``messages`` of a feed on each connection; return the result."""
    workload = {"kind": "receive", "messages": messages, "feed": feed}
    with websocket_peer(handler) as url:
        return load(url=url, workload=workload, limit_s=20, **settings)


def feed_of(kind, encoding, numbers):
    return [encode(kind, encoding, number, stocks=3) for number in numbers]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_each_feed_is_decoded(kind, encoding):
    messages = feed_of(kind, encoding, range(20))
    result = receive(pushing(messages), 20, {"kind": kind, "encoding": encoding})
    assert (result["messages"], result["wrong"], result["failures"]) == (20, 0, [])
    assert result["ended"] == "complete"
    if kind in NUMBERED:
        assert result["sequence"] == sequence(in_order=20)
    else:
        assert result["sequence"] is None
    if kind in DATED:
        assert count(result["delivery_time_ns"]) == 20
    else:
        assert result["delivery_time_ns"] is None
    assert result["regularity"] is None
    assert result["fan_out_skew"] is None


def sequence(**counts):
    names = ["in_order", "gaps", "missing", "duplicates", "reordered", "unexpected"]
    return dict.fromkeys(names, 0) | counts


FAULTS = {
    "a missing number": ([0, 1, 2, 4, 5], sequence(in_order=4, gaps=1, missing=1)),
    "five missing": ([0, 1, 7, 8], sequence(in_order=3, gaps=1, missing=5)),
    "two gaps": ([0, 2, 3, 5], sequence(in_order=2, gaps=2, missing=2)),
    "a duplicate": ([0, 1, 1, 2], sequence(in_order=3, duplicates=1)),
    "a swap": ([0, 2, 1, 3], sequence(in_order=2, gaps=1, reordered=1)),
    "from the middle": ([50, 51, 52], sequence(in_order=3)),
    "unexpected": ([5, 6, 1, 7], sequence(in_order=3, unexpected=1)),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", NUMBERED)
@pytest.mark.parametrize(("numbers", "expected"), FAULTS.values(), ids=FAULTS)
def test_faults_of_a_sequence_are_counted(kind, encoding, numbers, expected):
    messages = feed_of(kind, encoding, numbers)
    feed = {"kind": kind, "encoding": encoding}
    result = receive(pushing(messages), len(numbers), feed)
    assert result["messages"] == len(numbers)
    assert result["sequence"] == expected


def test_faults_are_counted_per_connection():
    messages = feed_of("sequence", "json", [0, 1, 3])
    result = receive(pushing(messages), 3, {"kind": "sequence"}, connections=4)
    assert result["sequence"] == sequence(in_order=8, gaps=4, missing=4)


@pytest.mark.parametrize(
    ("feed", "wrong"),
    [
        ({"kind": "hello"}, "hello"),
        ({"kind": "hello", "encoding": "binary"}, "hello world"),
        ({"kind": "sequence"}, "two"),
        ({"kind": "sequence"}, "-1"),
        ({"kind": "sequence", "encoding": "binary"}, b"\x00" * 7),
        ({"kind": "clock"}, b"\x00" * 8),
        ({"kind": "stocks"}, "{}"),
        ({"kind": "stocks"}, '{"sequence":1'),
        ({"kind": "stocks", "encoding": "binary"}, b"\x00" * 16),
    ],
    ids=str,
)
def test_a_message_that_is_not_of_the_feed_is_wrong(feed, wrong):
    encoding = feed.get("encoding", "json")
    first = encode(feed["kind"], encoding, 0)
    result = receive(pushing([first, wrong]), 2, feed)
    assert (result["messages"], result["wrong"]) == (2, 1)
    assert failures(result) == {"mismatch": 1}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", DATED)
def test_latency_is_measured_from_the_time_in_the_message(kind, encoding):
    hour_ns = 3_600_000_000_000
    old_ns = time.monotonic_ns() - hour_ns // 60
    messages = [encode(kind, encoding, 0, time_ns=old_ns)]
    result = receive(pushing(messages), 1, {"kind": kind, "encoding": encoding})
    ((lowest_ns, deliveries),) = result["delivery_time_ns"]
    assert deliveries == 1
    assert hour_ns // 60 * 0.99 < lowest_ns < hour_ns


def test_a_broadcast_that_reaches_all_is_complete():
    messages = feed_of("sequence", "json", range(50))
    feed = {"kind": "sequence", "broadcast": True}
    result = receive(
        broadcasting(messages, subscribers=4), 50, feed, connections=4, threads=2
    )
    skew = result["fan_out_skew"]
    assert (skew["complete"], skew["incomplete"], skew["unexpected"]) == (50, 0, 0)
    assert skew["every"] == 1
    assert count(skew["skew_ns"]) == 50


def test_a_broadcast_that_misses_one_is_incomplete():
    joined = []

    async def leave_one_out(connection):
        joined.append(connection)
        numbers = [0, 1, 2, 3] if len(joined) == 1 else [0, 1, 3, 4]
        for number in numbers:
            await connection.send(str(number))
        await connection.wait_closed()

    feed = {"kind": "sequence", "broadcast": True}
    result = receive(leave_one_out, 4, feed, connections=2)
    assert (
        result["fan_out_skew"]["complete"],
        result["fan_out_skew"]["incomplete"],
    ) == (3, 2)


def test_the_regularity_of_a_scheduled_feed_is_measured():
    result = receive(
        ticking(str, every_s=0.01), 21, {"kind": "sequence", "every_ms": 10}
    )
    regularity = result["regularity"]
    assert count(regularity["inter_arrival_ns"]) == 20
    assert 0 <= regularity["on_time"] <= regularity["judged"] <= 21
    assert regularity["judged"] > 0


def test_messages_that_arrive_at_once_are_a_burst_and_a_surplus():
    messages = feed_of("sequence", "json", range(5))
    feed = {"kind": "sequence", "every_ms": 60_000}
    regularity = receive(pushing(messages), 5, feed)["regularity"]
    assert regularity["burst_max"] == 5
    # Whether the first one was due depends on the tolerance.
    assert regularity["surplus"] in (4, 5)
    assert regularity["backlog"] == 0


def test_missing_messages_are_a_backlog():
    workload = {
        "kind": "receive",
        "feed": {"kind": "sequence", "every_ms": 1},
        "phases": {"window_s": 0.4},
    }
    with websocket_peer(ticking(str, every_s=0.1)) as url:
        result = load(url=url, workload=workload)
    assert result["regularity"]["backlog"] > 100
    assert result["regularity"]["surplus"] == 0
    assert result["sequence"]["missing"] == 0


@pytest.mark.parametrize("kind", NUMBERED)
def test_a_feed_can_be_received_for_a_window_of_time(kind):
    def make_message(number):
        return encode(kind, "binary", number)

    workload = {
        "kind": "receive",
        "feed": {"kind": kind, "encoding": "binary", "every_ms": 5},
        "phases": {"warm_up_s": 0.1, "window_s": 0.3},
    }
    with websocket_peer(ticking(make_message, every_s=0.005)) as url:
        result = load(url=url, workload=workload, connections=3)
    assert result["sequence"]["in_order"] == result["messages"] > 0
    assert result["sequence"]["gaps"] == 0
