"""Tests of the echo counts and the result line, with a manual clock."""

import io
import subprocess
import sys
from pathlib import Path

import pytest
from autostrada_kit import Exchanger
from autostrada_kit.settings import EchoSettings

OPENED_NS = 81_000_000_000
WARM_UP_NS = 500
WINDOW_NS = 2_000
WINDOW_AT_NS = OPENED_NS + WARM_UP_NS


class Bench:
    """An exchanger with a manual clock."""

    def __init__(self, *, connections=1):
        self.now_ns = OPENED_NS
        self.output = io.StringIO()
        settings = EchoSettings(
            url="ws://host/echo",
            window_ns=WINDOW_NS,
            warm_up_ns=WARM_UP_NS,
            connections=connections,
            payload="grüezi",
        )
        self.exchanger = Exchanger(
            settings, clock=lambda: self.now_ns, output=self.output
        )

    def answer_at(self, answered, now_ns, answer="grüezi"):
        self.now_ns = now_ns
        return answered(answer)

    def result(self):
        self.exchanger.finish()
        return self.output.getvalue()


def line(*, connections=1, echoed=0, wrong=0):
    return (
        f'{{"event":"result","connections":{connections},"echoed":{echoed},'
        f'"wrong":{wrong},"window_ns":{WINDOW_NS}}}\n'
    )


@pytest.mark.parametrize(
    ("at_ns", "echoed", "is_ongoing"),
    [
        (OPENED_NS, 0, True),
        (WINDOW_AT_NS - 1, 0, True),
        (WINDOW_AT_NS, 1, True),
        (WINDOW_AT_NS + WINDOW_NS - 1, 1, True),
        (WINDOW_AT_NS + WINDOW_NS, 0, False),
    ],
)
def test_counts_answers_in_the_window_and_ends_after_it(at_ns, echoed, is_ongoing):
    bench = Bench()
    answered = bench.exchanger.opened()
    assert bench.answer_at(answered, at_ns) is is_ongoing
    assert bench.result() == line(echoed=echoed)


@pytest.mark.parametrize("answer", ["", "grüezj", "grüezi ", "grüezi".encode()])
def test_another_content_or_type_is_wrong_and_not_echoed(answer):
    bench = Bench()
    answered = bench.exchanger.opened()
    assert bench.answer_at(answered, WINDOW_AT_NS, answer) is True
    assert bench.result() == line(wrong=1)


def test_a_wrong_answer_is_counted_at_any_time():
    bench = Bench()
    answered = bench.exchanger.opened()
    bench.answer_at(answered, OPENED_NS, "other")
    assert bench.answer_at(answered, WINDOW_AT_NS + WINDOW_NS, "other") is False
    assert bench.result() == line(wrong=2)


def test_the_warm_up_begins_when_the_last_connection_is_open():
    bench = Bench(connections=2)
    first = bench.exchanger.opened()
    late_ns = OPENED_NS + 10 * WINDOW_NS
    assert bench.answer_at(first, late_ns) is True
    second = bench.exchanger.opened()
    assert bench.answer_at(first, late_ns + WARM_UP_NS - 1) is True
    for answered in (first, second):
        assert bench.answer_at(answered, late_ns + WARM_UP_NS) is True
    assert bench.result() == line(connections=2, echoed=2)


def run(code, **environment):
    program = f"from autostrada_kit import Exchanger\n{code}"
    return subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(Path(__file__).parent), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_exits_with_status_2_and_one_line_when_a_variable_is_missing():
    ended = run("Exchanger.from_environment()", URL="ws://host/echo")
    assert ended.returncode == 2
    assert ended.stderr == "WINDOW_S is missing: set it in the environment\n"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("OSError('no route')", "no route"),
        ("TimeoutError()", "TimeoutError"),
        (r"ValueError('\nstatus 200\n<html>\n')", "status 200"),
    ],
)
def test_a_failure_is_one_line_whatever_other_threads_do(error, reason):
    code = (
        "from threading import Event, Thread\n"
        "Thread(target=Event().wait).start()\n"
        f"Thread(target=Exchanger.from_environment().fail, args=[{error}]).start()"
    )
    ended = run(code, URL="ws://host/echo", WINDOW_S="1")
    assert ended.returncode == 1
    assert ended.stderr == f"cannot exchange with ws://host/echo: {reason}\n"
