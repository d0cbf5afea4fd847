"""Tests of a client's seconds and duration, with a manual clock."""

import io
import json

from autostrada_feeds import Receiver
from autostrada_feeds.feed import FeedFormat
from autostrada_feeds.settings import ReceiverSettings

OPENED_NS = 81_000_000_000
SECOND_NS = 1_000_000_000


class Bench:
    """A receiver with a manual clock."""

    def __init__(self, **settings):
        self.now_ns = OPENED_NS
        self.output = io.StringIO()
        self.receiver = Receiver(
            ReceiverSettings(
                url="ws://host/feed", feed=FeedFormat("hello"), **settings
            ),
            clock=lambda: self.now_ns,
            output=self.output,
        )

    def events(self):
        return [json.loads(line) for line in self.output.getvalue().splitlines()]

    def names(self):
        return [event["event"] for event in self.events()]

    def seconds(self):
        return [
            (event["second"], event["messages"])
            for event in self.events()
            if event["event"] == "second"
        ]


def test_each_second_that_has_ended_is_printed():
    bench = Bench(messages=10)
    received = bench.receiver.opened()
    for after_ns, messages, left_ns in [
        (SECOND_NS - 1, 2, 1),
        (SECOND_NS, 1, SECOND_NS),
        (2 * SECOND_NS, 0, SECOND_NS),
        # A late call does not move the seconds after it.
        (3 * SECOND_NS + 300_000_000, 1, 700_000_000),
        # After a stall, the first second has all messages.
        (6 * SECOND_NS, 2, SECOND_NS),
    ]:
        for _ in range(messages):
            received("hello")
        bench.now_ns = OPENED_NS + after_ns
        assert bench.receiver.tick() == left_ns
    assert bench.seconds() == [(0, 3), (1, 0), (2, 1), (3, 2), (4, 0), (5, 0)]


def test_the_result_ends_the_lines_and_includes_messages_after_the_last_second():
    bench = Bench(messages=3)
    received = bench.receiver.opened()
    received("hello")
    received("hello")
    bench.now_ns = OPENED_NS + 2 * SECOND_NS + 5
    received("hello")
    bench.now_ns = OPENED_NS + 5 * SECOND_NS
    bench.receiver.finish()
    # No second is printed after the last message.
    assert bench.names() == ["second", "second", "result"]
    assert bench.events()[-1]["messages"] == 3
    assert bench.receiver.tick() is None
    assert len(bench.events()) == 3


def test_connections_are_added_up_and_the_first_opening_counts():
    bench = Bench(messages=2, connections=3)
    counts = []
    for _ in range(3):
        counts.append(bench.receiver.opened())
        bench.now_ns += 1_000
    for received in [*counts, *reversed(counts)]:
        bench.now_ns += 7
        received("hello")
    last_ns = bench.now_ns
    bench.now_ns += 1_000
    bench.receiver.finish()
    result = bench.events()[-1]
    assert (result["connections"], result["messages"]) == (3, 6)
    assert (result["opened_ns"], result["received_ns"]) == (OPENED_NS, last_ns)


def test_an_early_close_is_a_result_and_a_note(capsys):
    bench = Bench(messages=3)
    received = bench.receiver.opened()
    received("hello")
    bench.now_ns += 500
    bench.receiver.finish()
    assert bench.events()[-1]["received_ns"] == OPENED_NS + 500
    assert capsys.readouterr().err == "received 1 of 3 messages\n"


def test_a_duration_is_counted_from_the_first_message():
    bench = Bench(duration_ns=3 * SECOND_NS // 2)
    received = bench.receiver.opened()
    bench.now_ns += SECOND_NS // 2
    assert not bench.receiver.is_over()
    received("hello world")
    bench.now_ns += SECOND_NS
    assert bench.receiver.tick() == SECOND_NS // 2
    assert not bench.receiver.is_over()
    bench.now_ns += SECOND_NS // 2
    assert bench.receiver.is_over()
    bench.receiver.finish(is_cut_off=True)
    bench.receiver.finish()
    assert bench.names() == ["second", "second", "result"]
    assert bench.events()[-1]["cut_off"] is True
