"""Feeds of the engine, read by clients of other libraries."""

import asyncio
import time
from itertools import pairwise

import pytest
from peers.engine import serving
from peers.feeds import ENCODINGS, KINDS, decode
from peers.node import made
from peers.websocket import Heard, talk
from websockets.asyncio.client import connect

MESSAGES = 30


def check(items, kind, *, stocks=1):
    """Compare what a feed has said with what it has to say."""
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
        heard = talk(f"{engine.url}/feed")
        result = engine.result()
    assert (len(heard.messages), heard.close_code) == (MESSAGES, 1000)
    check([decode(kind, encoding, each) for each in heard.messages], kind)
    payload = b"".join(
        each.encode() if isinstance(each, str) else each for each in heard.messages
    )
    assert (result["messages"], result["bytes"]) == (MESSAGES, len(payload))
    assert (result["ended"], result["close_code"]) == ("complete", 1000)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_node_reads_each_feed_to_its_end(node, kind, encoding):
    feed = {"kind": kind, "encoding": encoding, "messages": MESSAGES}
    with serving(feed=feed) as engine:
        heard = node.talk("ws_client", url=f"{engine.url}/feed")
    assert (len(heard["messages"]), heard["close_code"]) == (MESSAGES, 1000)
    check([decode(kind, encoding, made(each)) for each in heard["messages"]], kind)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("stocks", [1, 100])
def test_as_many_stocks_as_are_wanted(encoding, stocks):
    feed = {"kind": "stocks", "encoding": encoding, "stocks": stocks, "messages": 5}
    with serving(feed=feed) as engine:
        heard = talk(f"{engine.url}/feed")
    items = [decode("stocks", encoding, each) for each in heard.messages]
    check(items, "stocks", stocks=stocks)


@pytest.mark.parametrize(
    ("interval", "threads"),
    [({}, 1), ({"every_ms": 5}, 1), ({"every_ms": 5}, 2)],
    ids=["continuous", "at an interval", "two threads"],
)
def test_all_subscribers_get_the_same(interval, threads):
    feed = {"kind": "stocks", "subscribers": 3, "messages": MESSAGES} | interval
    with serving(feed=feed, threads=threads) as engine:
        first, *others = asyncio.run(listen(f"{engine.url}/feed", 3))
    assert len(first.messages) == MESSAGES
    assert [other.messages for other in others] == [first.messages] * 2
    assert {each.close_code for each in (first, *others)} == {1000}


def test_nothing_is_sent_before_all_are_there():
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
    return Heard(messages, "", None, connection.close_code, None)


@pytest.mark.parametrize("kind", ["clock", "stocks"])
def test_instants_of_an_interval_are_those_when_they_were_due(kind):
    feed = {"kind": kind, "every_ms": 10, "messages": 20}
    with serving(feed=feed) as engine:
        heard = talk(f"{engine.url}/feed")
    instants = [decode(kind, "json", each).time_ns for each in heard.messages]
    steps = {later - earlier for earlier, later in pairwise(instants)}
    assert steps == {10_000_000}


def test_a_feed_of_a_given_time_has_one_message_at_each_interval():
    feed = {"kind": "sequence", "every_ms": 10, "seconds": 0.3}
    with serving(feed=feed) as engine:
        heard = talk(f"{engine.url}/feed")
    assert heard.messages == [str(number) for number in range(30)]
    assert heard.close_code == 1000


def test_a_continuous_feed_ends_when_its_time_is_over():
    feed = {"kind": "sequence", "encoding": "binary", "seconds": 0.05}
    with serving(feed=feed) as engine:
        heard = talk(f"{engine.url}/feed")
    items = [decode("sequence", "binary", each) for each in heard.messages]
    assert len(items) > 1
    check(items, "sequence")
    assert heard.close_code == 1000


def test_a_compressed_feed():
    feed = {"kind": "stocks", "stocks": 50, "messages": MESSAGES}
    with serving(feed=feed, compression={}) as engine:
        heard = talk(f"{engine.url}/feed", compression="deflate")
    assert heard.extensions.startswith("permessage-deflate")
    check(
        [decode("stocks", "json", each) for each in heard.messages], "stocks", stocks=50
    )


def test_one_who_leaves_does_not_stop_the_feed():
    async def leave(url):
        async with connect(url) as one:
            other = asyncio.create_task(listen_to_end(url))
            await one.recv()
        return await other

    feed = {"kind": "sequence", "subscribers": 2, "every_ms": 5, "messages": MESSAGES}
    with serving(feed=feed) as engine:
        heard = asyncio.run(leave(f"{engine.url}/feed"))
    assert heard.messages == [str(number) for number in range(MESSAGES)]
