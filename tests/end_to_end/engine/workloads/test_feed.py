"""Feeds that another library sends, with known faults."""

import time

import pytest
from peers.engine import count, load
from peers.feeds import ENCODINGS, KINDS, encode
from peers.websocket import broadcasting, pushing, ticking, websocket_peer

NUMBERED = ["sequence", "stocks"]
DATED = ["clock", "stocks"]


def receive(handler, messages, feed, **settings):
    """Receive ``messages`` of a feed on each connection; return the result."""
    workload = {"kind": "receive", "messages": messages, "feed": feed}
    with websocket_peer(handler) as url:
        return load(url=url, workload=workload, limit_s=120, **settings)


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


def test_the_regularity_of_a_scheduled_feed_is_measured():
    result = receive(
        ticking(str, every_s=0.01), 21, {"kind": "sequence", "every_ms": 10}
    )
    regularity = result["regularity"]
    assert count(regularity["inter_arrival_ns"]) == 20
    assert 0 <= regularity["on_time"] <= regularity["judged"] <= 21
    assert regularity["judged"] > 0
