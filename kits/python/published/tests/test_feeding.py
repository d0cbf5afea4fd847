"""Tests of a feed, with a manual clock, and of the turns of its event loop."""

import io
import json

import pytest
from autostrada_feeds import FeedSettings, Subscribers
from autostrada_feeds.feed import FeedFormat
from autostrada_feeds.feeding import Feed

START_NS = 81_000_000_000
EVERY_NS = 400_000_000


class Bench:
    """A feed with a manual clock."""

    def __init__(self, kind, **settings):
        self.now_ns = START_NS
        self.output = io.StringIO()
        self.subscribed = ["a", "b"]
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


def test_each_second_counts_the_sent_messages_and_a_feed_without_subscribers_ends():
    bench = Bench("hello", every_ns=700_000_000, messages=9)
    for number in range(3):
        bench.now_ns = START_NS + number * 700_000_000
        bench.feed.wait_ns()
        bench.feed.next_message()
    bench.subscribed.clear()
    bench.now_ns = START_NS + 3 * 700_000_000
    assert bench.feed.wait_ns() is None
    bench.feed.finish()
    assert bench.lines() == [
        {"event": "second", "second": 0, "messages": 4, "bytes": 44},
        {"event": "second", "second": 1, "messages": 2, "bytes": 22},
        {"event": "result", "messages": 6, "bytes": 66},
    ]


@pytest.mark.parametrize(
    ("pace", "messages", "turns"), [("paced", 65, 1), ("unpaced", 3, 3)]
)
def test_other_tasks_run_between_messages(pace, messages, turns, capsys):
    started, slept, published = [], [], []

    async def sleep(wait_s):
        slept.append(wait_s)

    async def publish(feed):
        published.extend([message async for message in feed])

    settings = FeedSettings(format=FeedFormat("sequence"), messages=messages, pace=pace)
    Subscribers(settings, publish, run=started.append, sleep=sleep).join("a")
    with pytest.raises(StopIteration):
        started[0].send(None)
    assert published == [f"{number}" for number in range(messages)]
    assert slept == [0] * turns
