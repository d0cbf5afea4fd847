"""Feeds of the engine, received by clients of other libraries."""

import asyncio
import time
from itertools import pairwise

import pytest
from peers.engine import serving
from peers.feeds import ENCODINGS, KINDS, decode
from peers.node import made
from peers.websocket import Received, talk
from websockets.asyncio.client import connect

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


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_node_reads_each_feed_to_its_end(node, kind, encoding):
    feed = {"kind": kind, "encoding": encoding, "messages": MESSAGES}
    with serving(feed=feed) as engine:
        received = node.talk("ws_client", url=f"{engine.url}/feed")
    assert (len(received["messages"]), received["close_code"]) == (MESSAGES, 1000)
    check([decode(kind, encoding, made(each)) for each in received["messages"]], kind)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("stocks", [1, 100])
def test_messages_have_the_requested_number_of_stocks(encoding, stocks):
    feed = {"kind": "stocks", "encoding": encoding, "stocks": stocks, "messages": 5}
    with serving(feed=feed) as engine:
        received = talk(f"{engine.url}/feed")
    items = [decode("stocks", encoding, each) for each in received.messages]
    check(items, "stocks", stocks=stocks)


@pytest.mark.parametrize(
    ("interval", "threads"),
    [({}, 1), ({"every_ms": 5}, 1), ({"every_ms": 5}, 2)],
    ids=["continuous", "at an interval", "two threads"],
)
def test_all_subscribers_receive_the_same_messages(interval, threads):
    feed = {"kind": "stocks", "subscribers": 3, "messages": MESSAGES} | interval
    with serving(feed=feed, threads=threads) as engine:
        first, *others = asyncio.run(listen(f"{engine.url}/feed", 3))
    assert len(first.messages) == MESSAGES
    assert [other.messages for other in others] == [first.messages] * 2
    assert {each.close_code for each in (first, *others)} == {1000}


def test_nothing_is_sent_before_all_have_joined():
    async def join_one_after_the_other(url):
        async with connect(url) as early:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(early.recv(), 0.2)
            async with connect(url) as late:
                return [await early.recv(), await late.recv()]

    feed = {"kind": "sequence", "subscribers": 2, "messages": 1}
    with serving(feed=feed) as engine:
        got = asyncio.run(join_one_after_the_other(f"{engine.url}/feed"))
    assert got == ["0", "0"]


async def listen(url, subscribers):
    return await asyncio.gather(*(listen_to_end(url) for _ in range(subscribers)))


async def listen_to_end(url):
    async with connect(url) as connection:
        messages = [message async for message in connection]
    return Received(messages, "", None, connection.close_code, None)


@pytest.mark.parametrize("kind", ["clock", "stocks"])
def test_messages_carry_the_time_at_which_they_were_due(kind):
    feed = {"kind": kind, "every_ms": 10, "messages": 20}
    with serving(feed=feed) as engine:
        received = talk(f"{engine.url}/feed")
    instants = [decode(kind, "json", each).time_ns for each in received.messages]
    steps = {later - earlier for earlier, later in pairwise(instants)}
    assert steps == {10_000_000}


def test_a_timed_feed_has_one_message_per_interval():
    feed = {"kind": "sequence", "every_ms": 10, "seconds": 0.3}
    with serving(feed=feed) as engine:
        received = talk(f"{engine.url}/feed")
    assert received.messages == [str(number) for number in range(30)]
    assert received.close_code == 1000


def test_a_continuous_feed_ends_after_its_time():
    feed = {"kind": "sequence", "encoding": "binary", "seconds": 0.05}
    with serving(feed=feed) as engine:
        received = talk(f"{engine.url}/feed")
    items = [decode("sequence", "binary", each) for each in received.messages]
    assert len(items) > 1
    check(items, "sequence")
    assert received.close_code == 1000


def test_a_feed_can_be_compressed():
    feed = {"kind": "stocks", "stocks": 50, "messages": MESSAGES}
    with serving(feed=feed, compression={}) as engine:
        received = talk(f"{engine.url}/feed", compression="deflate")
    assert received.extensions.startswith("permessage-deflate")
    check(
        [decode("stocks", "json", each) for each in received.messages],
        "stocks",
        stocks=50,
    )


def test_a_leaving_subscriber_does_not_stop_the_feed():
    async def leave(url):
        async with connect(url) as one:
            other = asyncio.create_task(listen_to_end(url))
            await one.recv()
        return await other

    feed = {"kind": "sequence", "subscribers": 2, "every_ms": 5, "messages": MESSAGES}
    with serving(feed=feed) as engine:
        received = asyncio.run(leave(f"{engine.url}/feed"))
    assert received.messages == [str(number) for number in range(MESSAGES)]
