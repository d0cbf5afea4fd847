"""What is said while a run goes on, and how long it will take."""

import io
from datetime import UTC, datetime

import pytest
from rich.console import Console

from autostrada.plan.matrix import Attempt, Cell
from autostrada.runner.progress import (
    Display,
    Forecast,
    Lines,
    describe,
    further,
    in_words,
    quietness,
    summarize,
)
from autostrada.store.record import Failure, Measurement, Quiet, Trial

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
    cell = Cell(client=contestant, workload=workload)
    return Attempt(cell=cell, repetition=repetition, is_warm_up=is_warm_up)


FAST = [attempt("fast", repetition=repetition) for repetition in range(3)]
SLOW = [attempt("slow", repetition=repetition) for repetition in range(2)]


def over(forecast, attempt, taken_s):
    forecast.finish(attempt, taken_s, is_repeated=False)


def trial(attempt, outcome=MEASUREMENT, *, disturbance=""):
    return Trial(
        cell=attempt.cell,
        repetition=attempt.repetition,
        is_warm_up=attempt.is_warm_up,
        started_at=datetime(2026, 11, 21, tzinfo=UTC),
        outcome=outcome,
        quiet=Quiet(disturbance=disturbance),
    )


def test_nothing_is_foretold_before_the_first_trial():
    forecast = Forecast(FAST)
    assert forecast.left_s() is None
    assert (forecast.finished, forecast.total) == (0, 3)


def test_a_cell_will_take_what_it_has_taken_on_average():
    forecast = Forecast([*FAST, *SLOW])
    over(forecast, FAST[0], 1.0)
    over(forecast, SLOW[0], 10.0)
    assert forecast.left_s() == pytest.approx(1.0 + 1.0 + 10.0)
    over(forecast, FAST[1], 2.0)
    assert forecast.left_s() == pytest.approx(1.5 + 10.0)
    assert (forecast.finished, forecast.total) == (3, 5)


def test_a_cell_that_has_not_run_is_taken_to_be_like_the_others():
    other = attempt("other")
    forecast = Forecast([*FAST, *SLOW, other])
    over(forecast, FAST[0], 1.0)
    over(forecast, FAST[1], 3.0)
    over(forecast, SLOW[0], 10.0)
    # fast takes 2, slow 10; other is taken to be between the two.
    assert forecast.left_s() == pytest.approx(2.0 + 10.0 + 6.0)


def test_what_is_repeated_is_still_left():
    forecast = Forecast([FAST[0]])
    forecast.finish(FAST[0], 4.0, is_repeated=True)
    assert (forecast.finished, forecast.left_s()) == (0, 4.0)


def test_more_than_was_planned_is_left_too():
    forecast = Forecast([FAST[0]])
    over(forecast, FAST[0], 4.0)
    forecast.extend(FAST[1:])
    assert (forecast.finished, forecast.total, forecast.left_s()) == (1, 3, 8.0)


def test_nothing_is_left_in_the_end():
    forecast = Forecast([FAST[0]])
    over(forecast, FAST[0], 1.0)
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
    assert summarize(trial(FAST[0], FAILURE)) == "crashed: exited with 3 [red]"
    words = "2.5 ms, 400,000 messages/s, server busy 25%"
    assert summarize(trial(FAST[0])) == words
    stolen = trial(FAST[0], disturbance="steal 4% of core 1")
    assert summarize(stolen) == f"{words}; disturbed: steal 4% of core 1"


def test_further_repetitions_in_words():
    assert (
        further(FAST[:1]) == "another repetition of 1 cell whose interval is too wide"
    )
    assert further(FAST).startswith("another repetition of 3 cells whose ")


@pytest.mark.parametrize(
    ("disturbed", "repeated", "words"),
    [
        (0, 0, "no trial was disturbed"),
        (0, 1, "1 trial was repeated, none stayed disturbed"),
        (1, 4, "4 trials were repeated, 1 stayed disturbed"),
    ],
)
def test_in_the_end_it_is_said_how_quiet_the_machine_was(disturbed, repeated, words):
    assert quietness(disturbed, repeated) == words


def tell_all(progress):
    progress.announce("building fast")
    progress.exclude("none", FAILURE)
    progress.begin(FAST[:2], done=4)
    progress.start(FAST[0])
    stolen = trial(FAST[0], disturbance="steal 4% of core 1")
    progress.finish(FAST[0], stolen, 1.0, is_repeated=True)
    progress.start(FAST[0])
    progress.finish(FAST[0], trial(FAST[0]), 1.0, is_repeated=False)
    progress.start(FAST[1])
    progress.finish(FAST[1], trial(FAST[1], FAILURE), 1.0, is_repeated=False)
    progress.extend([FAST[2]])
    progress.start(FAST[2])
    progress.finish(FAST[2], trial(FAST[2]), 1.0, is_repeated=False)
    progress.conclude(0, 1)
    progress.close()


def test_in_a_pipe_each_thing_that_happens_is_one_plain_line():
    output = io.StringIO()
    tell_all(Lines(Console(file=output, width=20)))
    assert output.getvalue().splitlines() == [
        "building fast",
        "none: crashed: exited with 3 [red]",
        "2 trials, 4 were made earlier",
        "fast batched repetition 1: 2.5 ms, 400,000 messages/s, server busy 25%; "
        "disturbed: steal 4% of core 1; repeated",
        "1/2 fast batched repetition 1: 2.5 ms, 400,000 messages/s, server busy 25%",
        "2/2 fast batched repetition 2: crashed: exited with 3 [red]",
        "another repetition of 1 cell whose interval is too wide",
        "3/3 fast batched repetition 3: 2.5 ms, 400,000 messages/s, server busy 25%",
        "1 trial was repeated, none stayed disturbed",
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


def test_on_a_terminal_failures_and_disturbances_leave_a_line():
    output = io.StringIO()
    console = Console(file=output, width=80, force_terminal=True, color_system=None)
    tell_all(Display(console))
    shown = output.getvalue()
    assert "fast batched repetition 2: crashed: exited with 3 [red]\n" in shown
    assert "none: crashed: exited with 3 [red]\n" in shown
    assert "4 trials were made earlier\n" in shown
    assert shown.count("messages/s") == 1
    assert "disturbed: steal 4% of core 1; repeated\n" in shown
    assert "1 trial was repeated, none" in shown
