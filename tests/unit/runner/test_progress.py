"""What is said while a run goes on, and how long it will take."""

import io

import pytest
from rich.console import Console

from autostrada.plan.matrix import Attempt, Cell
from autostrada.runner.progress import (
    Display,
    Forecast,
    Lines,
    describe,
    in_words,
    summarize,
)
from autostrada.store.record import Failure, Measurement

FAILURE = Failure(kind="crashed", message="exited with 3 [red]", stderr_tail="")
MEASUREMENT = Measurement(
    messages=1_000,
    payload_bytes=11_000,
    duration_ns=2_500_000,
    client_duration_ns=2_400_000,
    server_busy_share=0.25,
    server_blocked_share=0.5,
    client_busy_share=1.0,
    congestion_control="reno",
    processes=(),
    ends=(),
    seconds=(),
)


def attempt(contestant, workload="batched", repetition=0, *, is_warm_up=False):
    cell = Cell(contestant=contestant, workload=workload)
    return Attempt(cell=cell, repetition=repetition, is_warm_up=is_warm_up)


FAST = [attempt("fast", repetition=repetition) for repetition in range(3)]
SLOW = [attempt("slow", repetition=repetition) for repetition in range(2)]


def test_nothing_is_foretold_before_the_first_trial():
    forecast = Forecast(FAST)
    assert forecast.left_s() is None
    assert (forecast.finished, forecast.total) == (0, 3)


def test_a_cell_will_take_what_it_has_taken_on_average():
    forecast = Forecast([*FAST, *SLOW])
    forecast.finish(FAST[0], 1.0)
    forecast.finish(SLOW[0], 10.0)
    assert forecast.left_s() == pytest.approx(1.0 + 1.0 + 10.0)
    forecast.finish(FAST[1], 2.0)
    assert forecast.left_s() == pytest.approx(1.5 + 10.0)
    assert (forecast.finished, forecast.total) == (3, 5)


def test_a_cell_that_has_not_run_is_taken_to_be_like_the_others():
    other = attempt("other")
    forecast = Forecast([*FAST, *SLOW, other])
    forecast.finish(FAST[0], 1.0)
    forecast.finish(FAST[1], 3.0)
    forecast.finish(SLOW[0], 10.0)
    # fast takes 2, slow 10; other is taken to be between the two.
    assert forecast.left_s() == pytest.approx(2.0 + 10.0 + 6.0)


def test_nothing_is_left_in_the_end():
    forecast = Forecast([FAST[0]])
    forecast.finish(FAST[0], 1.0)
    assert forecast.left_s() == 0


@pytest.mark.parametrize(
    ("duration_s", "words"),
    [
        (0.4, "0 s"),
        (59.2, "59 s"),
        (60, "1 min 0 s"),
        (119.9, "2 min 0 s"),
        (150, "2 min 30 s"),
    ],
)
def test_a_duration_in_words(duration_s, words):
    assert in_words(duration_s) == words


def test_an_attempt_in_words():
    assert describe(FAST[2]) == "fast batched repetition 3"
    assert describe(attempt("fast", is_warm_up=True)) == "fast batched warm-up 1"


def test_an_outcome_in_words():
    assert summarize(FAILURE) == "crashed: exited with 3 [red]"
    assert summarize(MEASUREMENT) == "2.5 ms, 400,000 messages/s, server busy 25%"


def tell_all(progress):
    progress.announce("building fast")
    progress.exclude("none", FAILURE)
    progress.begin(FAST[:2], done=4)
    progress.start(FAST[0])
    progress.finish(FAST[0], MEASUREMENT, 1.0)
    progress.start(FAST[1])
    progress.finish(FAST[1], FAILURE, 1.0)
    progress.close()


def test_in_a_pipe_each_thing_that_happens_is_one_plain_line():
    output = io.StringIO()
    tell_all(Lines(Console(file=output, width=20)))
    assert output.getvalue().splitlines() == [
        "building fast",
        "none: crashed: exited with 3 [red]",
        "2 trials, 4 were made earlier",
        "1/2 fast batched repetition 1: 2.5 ms, 400,000 messages/s, server busy 25%",
        "2/2 fast batched repetition 2: crashed: exited with 3 [red]",
    ]


def test_on_a_terminal_one_line_says_where_the_run_is():
    output = io.StringIO()
    console = Console(file=output, width=80, force_terminal=True, color_system=None)
    tell_all(Display(console))
    shown = output.getvalue()
    assert "building fast …" in shown
    assert "0/2 · fast batched repetition 1" in shown
    assert "1/2 · 1 s left · fast batched repetition 2" in shown
    assert "━━━━━━━━━━╌╌╌╌╌╌╌╌╌╌" in shown


def test_on_a_terminal_only_failures_leave_a_line():
    output = io.StringIO()
    console = Console(file=output, width=80, force_terminal=True, color_system=None)
    tell_all(Display(console))
    shown = output.getvalue()
    assert "fast batched repetition 2: crashed: exited with 3 [red]\n" in shown
    assert "none: crashed: exited with 3 [red]\n" in shown
    assert "4 trials were made earlier\n" in shown
    assert "messages/s" not in shown
