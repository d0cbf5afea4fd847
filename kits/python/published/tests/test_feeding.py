"""Tests of a feed, with a manual clock, and of its subscribers."""

import asyncio
import io
import json

import pytest
from autostrada_feeds import FeedSettings, Subscribers
from autostrada_feeds.feed import FeedFormat
from autostrada_feeds.feeding import Feed

START_NS = 81_000_000_000
SECOND_NS = 1_000_000_000
EVERY_NS = 400_000_000


class Bench:
    """A feed with a manual clock."""

    def __init__(self, kind, subscribed=("a", "b"), **settings):
        self.now_ns = START_NS
        self.output = io.StringIO()
        self.subscribed = list(subscribed)
        self.feed = Feed(
            FeedSettings(format=FeedFormat(kind), **settings),
            self.subscribed,
            clock=lambda: self.now_ns,
            output=self.output,
        )

    def lines(self):
        return [json.loads(line) for line in self.output.getvalue().splitlines()]


def test_messages_are_due_by_their_number():
    bench = Bench("clock", every_ns=EVERY_NS, messages=3)
    assert bench.feed.wait_ns() == 0
    assert bench.feed.next_message() == f"{START_NS}"
    assert bench.feed.wait_ns() == EVERY_NS
    # A late message carries the time at which it was due, and delays no other.
    bench.now_ns += EVERY_NS + 7
    assert bench.feed.wait_ns() == 0
    assert bench.feed.next_message() == f"{START_NS + EVERY_NS}"
    assert bench.feed.wait_ns() == EVERY_NS - 7
    bench.now_ns = START_NS + 2 * EVERY_NS
    assert bench.feed.next_message() == f"{START_NS + 2 * EVERY_NS}"
    # The last interval is as long as the others; the end of the second is first.
    assert bench.feed.wait_ns() == EVERY_NS // 2
    bench.now_ns += EVERY_NS
    assert bench.feed.wait_ns() is None


def test_a_message_due_at_the_end_is_not_sent():
    bench = Bench("sequence", every_ns=EVERY_NS, duration_ns=2 * EVERY_NS)
    for number in range(2):
        bench.now_ns = START_NS + number * EVERY_NS
        assert bench.feed.wait_ns() == 0
        assert bench.feed.next_message() == f"{number}"
    assert bench.feed.wait_ns() == EVERY_NS
    bench.now_ns += EVERY_NS
    assert bench.feed.wait_ns() is None


def test_a_continuous_feed_ends_by_time_or_number():
    bench = Bench("clock", duration_ns=10)
    bench.now_ns += 9
    assert bench.feed.wait_ns() == 0
    assert bench.feed.next_message() == f"{START_NS + 9}"
    bench.now_ns += 1
    assert bench.feed.wait_ns() is None
    bench = Bench("hello", messages=1)
    bench.feed.next_message()
    assert bench.feed.wait_ns() is None


def test_a_feed_without_subscribers_is_over():
    bench = Bench("hello", messages=5)
    bench.subscribed.clear()
    assert bench.feed.wait_ns() is None


def test_each_second_counts_the_sent_messages():
    bench = Bench("hello", every_ns=700_000_000, messages=3)
    for number in range(3):
        bench.now_ns = START_NS + number * 700_000_000
        bench.feed.wait_ns()
        bench.feed.next_message()
    bench.subscribed.pop()
    bench.now_ns = START_NS + 3 * 700_000_000
    assert bench.feed.wait_ns() is None
    bench.feed.finish()
    assert bench.lines() == [
        {"event": "second", "second": 0, "messages": 4, "bytes": 44},
        {"event": "second", "second": 1, "messages": 2, "bytes": 22},
        {"event": "result", "messages": 6, "bytes": 66},
    ]


def test_a_wait_ends_at_the_end_of_the_second_at_the_latest():
    bench = Bench("hello", every_ns=5 * SECOND_NS, messages=2)
    bench.feed.next_message()
    assert bench.feed.wait_ns() == SECOND_NS
    bench.now_ns += SECOND_NS
    assert bench.feed.wait_ns() == SECOND_NS
    assert len(bench.lines()) == 1


def settings(**further):
    return FeedSettings(format=FeedFormat("sequence"), **further)


def test_a_feed_starts_when_all_have_joined_also_for_the_next_group(capsys):
    published = []

    async def publish(feed):
        published.extend([(message, feed.subscribed) async for message in feed])

    async def main():
        subscribers = Subscribers(settings(subscribers=2, messages=2), publish)
        for first, second in ("ab", "cd"):
            subscribers.join(first)
            await asyncio.sleep(0)
            before = len(published)
            subscribers.join(second)
            while len(published) < before + 2:
                await asyncio.sleep(0)

    asyncio.run(main())
    assert published == [
        ("0", ["a", "b"]),
        ("1", ["a", "b"]),
        ("0", ["c", "d"]),
        ("1", ["c", "d"]),
    ]
    assert capsys.readouterr().out.count('"result"') == 2


def test_another_event_loop_has_its_own_run_and_sleep(capsys):
    begun, slept, published = [], [], []

    async def sleep(wait_s):
        slept.append(wait_s)

    async def publish(feed):
        published.extend([message async for message in feed])

    subscribers = Subscribers(
        settings(messages=65), publish, run=begun.append, sleep=sleep
    )
    subscribed = subscribers.join("a")
    (coroutine,) = begun
    with pytest.raises(StopIteration):
        coroutine.send(None)
    assert subscribed == ["a"]
    assert published == [f"{number}" for number in range(65)]
    assert slept == [0]


def test_an_unpaced_feed_lets_other_tasks_run_after_each_message(capsys):
    begun, slept = [], []

    async def sleep(wait_s):
        slept.append(wait_s)

    async def publish(feed):
        assert not feed.is_paced
        assert [message async for message in feed] == ["0", "1", "2"]

    unpaced = settings(messages=3, pace="unpaced")
    Subscribers(unpaced, publish, run=begun.append, sleep=sleep).join("a")
    with pytest.raises(StopIteration):
        begun[0].send(None)
    assert slept == [0, 0, 0]


def test_joining_without_a_feed_is_an_error():
    with pytest.raises(ValueError, match="set FEED"):
        Subscribers(None, None).join("a")
