"""What is said while a run goes on, and how long it will take."""

import io
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.console import Console

from autostrada.experiment.matrix import Attempt, Cell
from autostrada.runner.forecast import Forecast
from autostrada.runner.progress import (
    Display,
    Lines,
    capacity,
    counted,
    describe,
    further,
    in_words,
    outlook,
    quietness,
    summarize,
)
from autostrada.stats.search import Bracket, Found
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
RAMP = attempt("fast", "ramp connections=8")
FOUND = Found(bracket=Bracket(met=1_000, violated=1_100), is_settled=True)


def trial(attempt, outcome=MEASUREMENT, *, disturbance=""):
    return Trial(
        cell=attempt.cell,
        repetition=attempt.repetition,
        is_warm_up=attempt.is_warm_up,
        started_at=datetime(2026, 11, 21, tzinfo=UTC),
        outcome=outcome,
        quiet=Quiet(disturbance=disturbance),
    )


@pytest.mark.parametrize(
    ("duration_s", "words"),
    [
        (0.4, "0 s"),
        (59.2, "59 s"),
        (60, "1 min 0 s"),
        (119.9, "2 min 0 s"),
        (150, "2 min 30 s"),
        (3_599.6, "1 h 0 min"),
        (9_000, "2 h 30 min"),
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


@pytest.mark.parametrize(
    ("todo", "searches", "done", "words"),
    [
        (FAST, {}, 0, "3 trials, about 34 s"),
        (FAST[:1], {}, 7, "1 trial, about 12 s; 7 were made earlier"),
        (FAST, {"a": "bc"}, 0, "3 trials and 1 search, up to about 58 s"),
        ([], {"a": "bc", "d": "e"}, 0, "2 searches, up to about 34 s"),
    ],
)
def test_before_the_first_trial_it_is_said_how_long_all_takes(
    todo, searches, done, words
):
    forecast = Forecast(todo, planned_s=lambda _: 10.0, searches=lambda: searches)
    assert outlook(forecast, done) == words


def test_how_long_is_not_said_where_contestants_decide():
    assert outlook(Forecast(FAST), 0) == "3 trials"


@pytest.mark.parametrize(
    ("met", "violated", "is_settled", "words"),
    [
        (1_000, 1_100, True, "capacity 1,000, objective not met at 1,100"),
        (2_000, None, True, "capacity at least 2,000, where the search ends"),
        (None, 100, True, "objective not met even at 100"),
        (1, 9, False, "capacity 1, objective not met at 9; outcomes differ too much "),
    ],
)
def test_a_capacity_in_words(met, violated, is_settled, words):
    found = Found(bracket=Bracket(met=met, violated=violated), is_settled=is_settled)
    told = capacity(RAMP.cell, found, 1)
    assert told.startswith(f"fast in ramp connections=8: {words}")


def test_a_capacity_of_several_processes_is_of_each():
    words = "capacity 1,000, objective not met at 1,100 of each of 8 processes"
    assert capacity(RAMP.cell, FOUND, 8) == f"fast in ramp connections=8: {words}"


def test_an_open_loop_in_words():
    load = replace(MEASUREMENT, achieved_share=0.975, duration_ns=1_000_000_000)
    words = "97.5% of 1,026 messages/s, server busy 25%"
    assert summarize(trial(RAMP, load)) == words


def test_what_is_counted_in_words():
    assert counted(1, "search", "searches") == "1 search"
    assert counted(2_000, "trial") == "2,000 trials"


def tell_all(progress):
    progress.announce("building fast")
    progress.exclude("none", FAILURE)
    progress.begin(Forecast(FAST[:2]), done=4)
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
    progress.search([RAMP])
    progress.start(RAMP)
    progress.finish(RAMP, trial(RAMP), 1.0, is_repeated=False)
    progress.find(replace(RAMP.cell, workload="ramp"), FOUND, 1)
    progress.conclude(0, 1)
    progress.close()


def test_in_a_pipe_each_thing_that_happens_is_one_plain_line():
    output = io.StringIO()
    tell_all(Lines(Console(file=output, width=20)))
    assert output.getvalue().splitlines() == [
        "building fast",
        "none: crashed: exited with 3 [red]",
        "2 trials; 4 were made earlier",
        "fast batched repetition 1: 2.5 ms, 400,000 messages/s, server busy 25%; "
        "disturbed: steal 4% of core 1; repeated",
        "1/2 fast batched repetition 1: 2.5 ms, 400,000 messages/s, server busy 25%",
        "2/2 fast batched repetition 2: crashed: exited with 3 [red]",
        "another repetition of 1 cell whose interval is too wide",
        "3/3 fast batched repetition 3: 2.5 ms, 400,000 messages/s, server busy 25%",
        "4/4 fast ramp connections=8 repetition 1: 2.5 ms, 400,000 messages/s, server "
        "busy 25%",
        "fast in ramp: capacity 1,000, objective not met at 1,100",
        "1 trial was repeated, none stayed disturbed",
    ]


def test_on_a_terminal_one_line_says_where_the_run_is():
    output = io.StringIO()
    console = Console(file=output, width=80, force_terminal=True, color_system=None)
    tell_all(Display(console))
    shown = output.getvalue()
    assert "building fast …" in shown
    assert "0/2 · fast batched repetition 1" in shown
    assert "1/2 · about 1 s left · fast batched repetition 2" in shown
    assert "━━━━━━━━━━╌╌╌╌╌╌╌╌╌╌" in shown


def test_on_a_terminal_failures_and_disturbances_leave_a_line():
    output = io.StringIO()
    console = Console(file=output, width=80, force_terminal=True, color_system=None)
    tell_all(Display(console))
    shown = output.getvalue()
    assert "fast batched repetition 2: crashed: exited with 3 [red]\n" in shown
    assert "none: crashed: exited with 3 [red]\n" in shown
    assert "2 trials; 4 were made earlier\n" in shown
    assert "capacity 1,000, objective not met at 1,100\n" in shown
    assert shown.count("messages/s") == 1
    assert "disturbed: steal 4% of core 1; repeated\n" in shown
    assert "1 trial was repeated, none" in shown
