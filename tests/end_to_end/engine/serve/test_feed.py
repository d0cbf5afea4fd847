"""Feeds of the engine, received by a client of another library."""

import time

import pytest
from peers.engine import serving
from peers.feeds import ENCODINGS, KINDS, decode
from peers.websocket import talk

MESSAGES = 30


def check(items, kind, *, stocks=1):
    """Check the messages of a feed against its definition."""
    if kind in ("sequence", "stocks"):
        assert [item.number for item in items] == list(range(len(items)))
    if kind in ("clock", "stocks"):
        instants = [item.time_ns for item in items]
        assert instants == sorted(instants)
        assert 0 < instants[0] <= instants[-1] <= time.monotonic_ns()
    if kind == "stocks":
        for item in items:
            assert len(item.stocks) == stocks
            for stock in item.stocks:
                assert stock["low"] <= stock["open"] <= stock["high"]
                assert stock["low"] <= stock["close"] <= stock["high"]
                assert isinstance(stock["volume"], int)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_python_reads_each_feed_to_its_end(kind, encoding):
    feed = {"kind": kind, "encoding": encoding, "messages": MESSAGES}
    with serving(feed=feed, connections=1) as engine:
        received = talk(f"{engine.url}/feed")
        result = engine.result()
    assert (len(received.messages), received.close_code) == (MESSAGES, 1000)
    check([decode(kind, encoding, each) for each in received.messages], kind)
    payload = b"".join(
        each.encode() if isinstance(each, str) else each for each in received.messages
    )
    assert (result["messages"], result["bytes"]) == (MESSAGES, len(payload))
    assert (result["ended"], result["close_code"]) == ("complete", 1000)
