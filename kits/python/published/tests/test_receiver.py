"""Tests of the counts and the printed lines, with a manual clock."""

import io
import json

import pytest
from autostrada_feeds import Receiver
from autostrada_feeds.feed import FeedFormat
from autostrada_feeds.settings import ReceiverSettings

OPENED_NS = 81_000_000_000
SECOND_NS = 1_000_000_000


class Bench:
    """A receiver with a manual clock."""

    def __init__(self, *, kind="hello", **settings):
        self.now_ns = OPENED_NS
        self.output = io.StringIO()
        self.receiver = Receiver(
            ReceiverSettings(url="ws://host/feed", feed=FeedFormat(kind), **settings),
            clock=lambda: self.now_ns,
            output=self.output,
        )

    def lines(self):
        return self.output.getvalue().splitlines()

    def events(self):
        return [json.loads(line) for line in self.lines()]

    def names(self):
        return [event["event"] for event in self.events()]

    def seconds(self):
        return [
            (event["second"], event["messages"])
            for event in self.events()
            if event["event"] == "second"
        ]


@pytest.mark.parametrize(
    ("message", "size"),
    [
        ("", 0),
        ("hello world", 11),
        ("grüezi", 7),
        ("日本語", 9),
        (b"", 0),
        (b"hello", 5),
        (b"\x00\xff\xfe", 3),
    ],
)
def test_counts_the_payload_bytes_whatever_the_messages_are(message, size):
    bench = Bench(messages=1)
    assert bench.receiver.opened()(message) is True
    bench.receiver.finish()
    assert (bench.events()[-1]["messages"], bench.events()[-1]["bytes"]) == (1, size)


def test_reports_when_the_last_expected_message_has_arrived():
    received = Bench(messages=3).receiver.opened()
    assert [received("a") for _ in range(3)] == [False, False, True]


def test_does_not_count_messages_while_the_connection_closes():
    bench = Bench(messages=2)
    received = bench.receiver.opened()
    answers = []
    for _ in range(4):
        bench.now_ns += 10
        answers.append(received("abc"))
    bench.receiver.finish()
    result = bench.events()[-1]
    assert answers == [False, True, True, True]
    assert result["messages"] == 2
    assert result["received_ns"] == OPENED_NS + 20


def test_the_result_is_the_line_of_the_page():
    bench = Bench(kind="clock", messages=2)
    received = bench.receiver.opened()
    bench.now_ns += 400_000_000
    received(str(bench.now_ns - 51_234))
    bench.now_ns += 83
    received("yesterday")
    bench.now_ns += 900_000_000
    bench.receiver.finish()
    assert bench.lines() == [
        '{"event":"result","connections":1,"messages":2,"bytes":20,'
        '"opened_ns":81000000000,"received_ns":81400000083,"wrong":1,'
        '"sequence":null,"latency_ns":{"51200":1},"cut_off":false}'
    ]


def test_numbers_are_classified_on_each_connection():
    bench = Bench(kind="sequence", messages=2, connections=2)
    for numbers in ((7, 8), (1, 3)):
        received = bench.receiver.opened()
        for number in numbers:
            received(str(number))
    bench.receiver.finish()
    result = bench.events()[-1]
    assert (result["wrong"], result["latency_ns"]) == (0, None)
    counts = {"in_order": 3, "gaps": 1, "missing": 1}
    assert result["sequence"] == counts | {
        "duplicates": 0,
        "reordered": 0,
        "unexpected": 0,
    }


def test_a_second_is_printed_when_it_has_ended_and_not_before():
    bench = Bench(messages=10)
    received = bench.receiver.opened()
    received("hello")
    bench.now_ns = OPENED_NS + SECOND_NS - 1
    assert bench.receiver.tick() == 1
    assert bench.lines() == []
    bench.now_ns += 1
    assert bench.receiver.tick() == SECOND_NS
    assert bench.lines() == ['{"event":"second","second":0,"messages":1,"bytes":5}']


def test_a_second_without_a_message_is_printed_as_well():
    bench = Bench(messages=10)
    received = bench.receiver.opened()
    for second, messages in enumerate([2, 0, 1]):
        for _ in range(messages):
            received("hello")
        bench.now_ns = OPENED_NS + (second + 1) * SECOND_NS
        bench.receiver.tick()
    assert bench.seconds() == [(0, 2), (1, 0), (2, 1)]


def test_a_late_tick_does_not_move_the_seconds_after_it():
    bench = Bench(messages=10)
    bench.receiver.opened()
    bench.now_ns = OPENED_NS + SECOND_NS + 300_000_000
    assert bench.receiver.tick() == 700_000_000


def test_after_a_stall_the_missed_seconds_are_printed():
    bench = Bench(messages=10)
    received = bench.receiver.opened()
    received("hello")
    bench.now_ns = OPENED_NS + 3 * SECOND_NS + 1
    bench.receiver.tick()
    assert bench.seconds() == [(0, 1), (1, 0), (2, 0)]


def test_the_result_includes_messages_after_the_last_second():
    bench = Bench(messages=5)
    received = bench.receiver.opened()
    received("hello")
    received("hello")
    bench.now_ns = OPENED_NS + SECOND_NS
    bench.receiver.tick()
    for _ in range(3):
        received("hello")
    bench.now_ns += 1
    bench.receiver.finish()
    assert bench.seconds() == [(0, 2)]
    assert bench.events()[-1]["messages"] == 5


def test_finish_prints_the_seconds_that_no_tick_has_printed():
    bench = Bench(messages=1)
    received = bench.receiver.opened()
    bench.now_ns = OPENED_NS + 2 * SECOND_NS + 5
    received("hello")
    bench.receiver.finish()
    assert bench.names() == ["second", "second", "result"]


def test_no_second_is_printed_after_the_last_message():
    bench = Bench(messages=1)
    received = bench.receiver.opened()
    bench.now_ns = OPENED_NS + SECOND_NS // 2
    received("hello")
    bench.now_ns = OPENED_NS + 5 * SECOND_NS
    assert bench.receiver.tick() is None
    bench.receiver.finish()
    assert bench.names() == ["result"]


def test_nothing_is_printed_after_the_result():
    bench = Bench(messages=2)
    bench.receiver.opened()
    bench.receiver.finish()
    bench.now_ns = OPENED_NS + 5 * SECOND_NS
    assert bench.receiver.tick() is None
    assert bench.names() == ["result"]


def test_connections_are_added_up_and_the_first_opening_counts():
    bench = Bench(messages=2, connections=3)
    counts = []
    for _ in range(3):
        counts.append(bench.receiver.opened())
        bench.now_ns += 1_000
    for received in counts:
        received("hello")
    bench.now_ns = OPENED_NS + SECOND_NS
    bench.receiver.tick()
    for received in reversed(counts):
        bench.now_ns += 7
        received("worlds")
    bench.now_ns += 1_000
    bench.receiver.finish()
    assert bench.seconds() == [(0, 3)]
    result = bench.events()[-1]
    assert (result["connections"], result["messages"], result["bytes"]) == (3, 6, 33)
    assert result["opened_ns"] == OPENED_NS
    assert result["received_ns"] == OPENED_NS + SECOND_NS + 21


def test_an_early_close_is_a_result_with_what_was_counted(capsys):
    bench = Bench(messages=3)
    received = bench.receiver.opened()
    received("hello")
    bench.now_ns += 500
    bench.receiver.finish()
    result = bench.events()[-1]
    assert result["messages"] == 1
    assert result["received_ns"] == OPENED_NS + 500
    assert capsys.readouterr().err == "received 1 of 3 messages\n"


def test_exits_with_status_2_and_one_line_when_a_variable_is_missing(
    monkeypatch, capsys
):
    monkeypatch.delenv("URL", raising=False)
    with pytest.raises(SystemExit) as stop:
        Receiver.from_environment()
    assert stop.value.code == 2
    assert capsys.readouterr().err == "URL is missing: set it in the environment\n"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError("no route"), "no route"),
        (TimeoutError(), "TimeoutError"),
        (ValueError("\nstatus 200\n<html>\n"), "status 200"),
    ],
)
def test_a_failure_is_one_line(error, reason):
    with pytest.raises(SystemExit) as stop:
        Bench(messages=1).receiver.fail(error)
    assert stop.value.code == f"cannot receive from ws://host/feed: {reason}"


def test_a_client_with_a_duration_ends_that_long_after_its_first_message():
    bench = Bench(kind="clock", duration_ns=3 * SECOND_NS // 2)
    received = bench.receiver.opened()
    bench.now_ns += SECOND_NS // 2
    assert not bench.receiver.is_over()
    received(str(bench.now_ns - 5))
    bench.now_ns += SECOND_NS
    assert bench.receiver.tick() == SECOND_NS // 2
    assert not bench.receiver.is_over()
    bench.now_ns += SECOND_NS // 2
    assert bench.receiver.is_over()
    bench.receiver.finish(is_cut_off=True)
    result = bench.events()[-1]
    assert result["cut_off"] is True
    assert (result["messages"], result["latency_ns"]) == (1, {"5": 1})
    bench.receiver.finish()
    assert bench.names().count("result") == 1


def test_a_client_with_a_duration_whose_feed_ends_earlier_is_not_cut_off():
    bench = Bench(kind="clock", duration_ns=SECOND_NS)
    bench.receiver.opened()
    bench.receiver.finish()
    assert bench.events()[-1]["cut_off"] is False
