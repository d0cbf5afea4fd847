"""Feeds that another library sends."""

import time

import pytest
from peers.engine import count, load
from peers.feeds import ENCODINGS, KINDS, encode
from peers.websocket import broadcasting, pushing, websocket_peer

NUMBERED = ["sequence", "stocks"]
DATED = ["clock", "stocks"]


def receive(handler, messages, feed, **settings):
    """Receive ``messages`` of a feed on each connection; return the result."""
    workload = {"kind": "receive", "messages": messages, "feed": feed}
    with websocket_peer(handler) as url:
        return load(url=url, workload=workload, limit_s=120, **settings)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_each_feed_is_decoded_and_its_latency_is_that_of_the_times_in_it(
    kind, encoding
):
    minute_ns = 60_000_000_000
    old_ns = time.monotonic_ns() - minute_ns
    messages = [
        encode(kind, encoding, number, time_ns=old_ns, stocks=3) for number in range(20)
    ]
    result = receive(pushing(messages), 20, {"kind": kind, "encoding": encoding})
    assert (result["messages"], result["wrong"], result["failures"]) == (20, 0, [])
    assert result["ended"] == "complete"
    if kind in NUMBERED:
        counts = result["sequence"]
        assert counts["in_order"] == sum(counts.values()) == 20
    else:
        assert result["sequence"] is None
    if kind in DATED:
        assert count(result["delivery_time_ns"]) == 20
        for lowest_ns, _ in result["delivery_time_ns"]:
            assert 0.99 * minute_ns < lowest_ns < 60 * minute_ns
    else:
        assert result["delivery_time_ns"] is None
    assert result["regularity"] is None
    assert result["fan_out_skew"] is None


def test_a_broadcast_that_reaches_all_is_complete():
    messages = [str(number) for number in range(50)]
    feed = {"kind": "sequence", "broadcast": True}
    result = receive(
        broadcasting(messages, subscribers=4), 50, feed, connections=4, threads=2
    )
    skew = result["fan_out_skew"]
    assert (skew["complete"], skew["incomplete"], skew["unexpected"]) == (50, 0, 0)
    assert skew["every"] == 1
    assert count(skew["skew_ns"]) == 50
