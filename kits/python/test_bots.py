"""Tests of the bots, with a clock set by hand, and of playing them."""

import asyncio
import io
import json
import queue
import time

import pytest
from autostrada_kit import Bots, play, play_on_threads
from autostrada_kit.bots import stamp
from autostrada_kit.settings import BotSettings, EchoSettings

OPENED_NS = 81_000_000_000
EVERY_NS = 100
WARM_UP_NS = 250
WINDOW_NS = 400


class Bench:
    """Bots whose clock stands still until it is set."""

    def __init__(self, *, connections=1, warm_up_ns=WARM_UP_NS):
        self.now_ns = OPENED_NS
        self.output = io.StringIO()
        echo = EchoSettings(
            url="ws://host/echo",
            window_ns=WINDOW_NS,
            warm_up_ns=warm_up_ns,
            connections=connections,
            payload="hi",
        )
        settings = BotSettings(echo=echo, every_ns=EVERY_NS)
        self.bots = Bots(settings, clock=lambda: self.now_ns, output=self.output)

    def result(self):
        self.bots.finish()
        return json.loads(self.output.getvalue())


def send_all(bot):
    events = []
    while bot.next_due_ns() is not None:
        events.append(bot.next_event())
    return events


def test_begins_when_the_last_connection_is_open_and_is_spread_over_the_interval():
    bench = Bench(connections=3)
    bots = [bench.bots.opened() for _ in range(2)]
    assert not bench.bots.begun.done()
    bench.now_ns += 7
    bots.append(bench.bots.opened())
    due = [bot.next_due_ns() - bench.now_ns for bot in bots]
    assert due == [0, 33, 66]


def test_sends_what_is_due_before_the_window_ends():
    bench = Bench(connections=2)
    first, second = bench.bots.opened(), bench.bots.opened()
    # Due at 0, 100, … 600 and at 50, 150, … 650, of 650.
    assert (len(send_all(first)), len(send_all(second))) == (7, 6)
    assert first.next_due_ns() is None
    # Of these, 300, … 600 and 250, … 550 are within the window.
    assert bench.result()["sent"] == 4 + 4


def test_response_times_are_from_due_and_of_the_window_only():
    bench = Bench()
    bot = bench.bots.opened()
    for event in send_all(bot):
        bench.now_ns += 90
        bot.answered(event)
    assert bench.result() == {
        "event": "result",
        "connections": 1,
        "sent": 4,
        "echoed": 4,
        "wrong": 0,
        "window_ns": WINDOW_NS,
        # Answered at 360, 450, 540 and 630.
        "response_time_ns": {"30": 1, "40": 1, "50": 1, "60": 1},
    }


def test_an_answer_is_right_once_and_in_its_order():
    bench = Bench(warm_up_ns=0)
    bot = bench.bots.opened()
    events = send_all(bot)
    bot.answered(events[1])
    for wrong in (events[1], events[0], events[2].encode(), events[2] + "!", "", "4"):
        bot.answered(wrong)
    bot.answered(stamp(99, OPENED_NS + 99 * EVERY_NS, "hi"))
    assert not bot.is_over
    bot.answered(events[3])
    assert bot.is_over
    result = bench.result()
    assert (result["sent"], result["echoed"], result["wrong"]) == (4, 2, 7)


def make_bots(*, drain_ns=20_000_000_000):
    echo = EchoSettings(url="ws://host/echo", window_ns=50_000_000)
    settings = BotSettings(echo=echo, every_ns=10_000_000, drain_ns=drain_ns)
    output = io.StringIO()
    return Bots(settings, clock=time.monotonic_ns, output=output), output


def counts(bots, output):
    bots.finish()
    result = json.loads(output.getvalue())
    return result["sent"], result["echoed"], result["wrong"]


def test_tasks_send_and_take_answers():
    bots, output = make_bots()

    async def main():
        answers = asyncio.Queue()
        await play(bots.opened(), answers.put, answers.get)

    asyncio.run(main())
    assert counts(bots, output) == (5, 5, 0)


def test_threads_send_and_take_answers():
    bots, output = make_bots()
    answers = queue.Queue()
    play_on_threads(bots.opened(), answers.put, answers.get)
    assert counts(bots, output) == (5, 5, 0)


def test_the_library_may_call_with_the_answers_itself():
    bots, output = make_bots()
    bot = bots.opened()
    play_on_threads(bot, bot.answered)
    assert counts(bots, output) == (5, 5, 0)


def test_a_bot_that_has_nothing_to_send_waits_for_nothing():
    settings = BotSettings(
        echo=EchoSettings(url="ws://host/echo", window_ns=1, connections=2),
        every_ns=1_000_000_000,
        drain_ns=10**15,
    )
    output = io.StringIO()
    bots = Bots(settings, clock=time.monotonic_ns, output=output)
    _, second = bots.opened(), bots.opened()
    play_on_threads(second, lambda event: None)
    assert counts(bots, output) == (0, 0, 0)


def test_answers_that_do_not_come_are_not_waited_for_any_longer():
    bots, output = make_bots(drain_ns=1)

    async def main():
        async def send(event):
            pass

        await play(bots.opened(), send, asyncio.Event().wait)

    asyncio.run(main())
    assert counts(bots, output) == (5, 0, 0)
    bots, output = make_bots(drain_ns=1)
    play_on_threads(bots.opened(), lambda event: None, queue.Queue().get)
    assert counts(bots, output) == (5, 0, 0)


def test_the_end_of_a_connection_is_raised():
    async def receive():
        raise ConnectionResetError

    async def send(event):
        pass

    def fail():
        raise ConnectionResetError

    bots, _ = make_bots()
    with pytest.raises(ConnectionResetError):
        asyncio.run(play(bots.opened(), send, receive))
    bots, _ = make_bots()
    with pytest.raises(ConnectionResetError):
        play_on_threads(bots.opened(), lambda event: None, fail)
