"""Messages during a run, and the remaining time."""

import io
from dataclasses import replace

import pytest
from rich.console import Console
from tests.unit.report import records

from autostrada.experiment.matrix import Attempt, Cell
from autostrada.runner.forecast import OVERHEAD_S, Forecast
from autostrada.runner.progress import (
    Progress,
    ProgressBar,
    describe_disturbances,
    describe_forecast,
    format_duration,
    summarize,
)
from autostrada.store.record import Failure, OtherLoad

FAILURE = Failure(kind="crashed", message="exited with 3 [red]", stderr_tail="")
MEASUREMENT = records.push(2500, 1000, server=0.25)


def attempt(contestant, repetition=0):
    cell = Cell(client=contestant, workload="batched")
    return Attempt(cell=cell, repetition=repetition)


FAST = [attempt("fast", repetition) for repetition in range(3)]
SLOW = [attempt("slow", repetition) for repetition in range(2)]
PLANNED_S = {"fast": 10.0, "slow": 100.0}


def trial(attempt, outcome=MEASUREMENT, *, disturbance=""):
    load = OtherLoad(disturbance=disturbance)
    return records.trial(attempt.cell, attempt.repetition, outcome, other_load=load)


@pytest.mark.parametrize(
    ("duration_s", "text"),
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
def test_a_duration_is_formatted(duration_s, text):
    assert format_duration(duration_s) == text


STOLEN = "others used 40% of core 1"
USUAL = "2.5 ms, 400,000 messages/s, server busy 25%"
LOAD = replace(MEASUREMENT, achieved_share=0.975, duration_ns=1_000_000_000)


@pytest.mark.parametrize(
    ("tried", "text"),
    [
        (trial(FAST[0], FAILURE), "crashed: exited with 3 [red]"),
        (trial(FAST[0]), USUAL),
        (trial(FAST[0], disturbance=STOLEN), f"{USUAL}; disturbed: {STOLEN}"),
        (trial(FAST[0], LOAD), "97.5% of 1,026 messages/s, server busy 25%"),
    ],
    ids=["failure", "push", "disturbed", "open loop"],
)
def test_an_outcome_is_described(tried, text):
    assert summarize(tried) == text


def test_a_budget_counts_down_in_place_of_the_number_of_trials():
    forecast = Forecast([], budget_s=3_000.0)
    assert describe_forecast(forecast, 0) == "trials for 50 min 0 s"
    assert describe_forecast(forecast, 2).endswith("; 2 were made earlier")
    console = Console(file=io.StringIO(), width=200)
    progress = Progress(console)
    progress.begin(forecast, done=0)
    progress.extend(FAST[:1])
    progress.finish(FAST[0], trial(FAST[0]), 1.0, is_repeated=False)
    assert console.file.getvalue().splitlines()[1].startswith("1 fast batched ")
    done, total = forecast.progress
    assert (done < 600, total) == (True, 3_000)


@pytest.mark.parametrize(
    ("disturbed", "repeated", "text"),
    [
        (0, 0, "no trial was disturbed"),
        (0, 1, "1 trial was repeated, none stayed disturbed"),
        (1, 4, "4 trials were repeated, 1 stayed disturbed"),
    ],
)
def test_the_disturbance_of_the_machine_is_reported_at_the_end(
    disturbed, repeated, text
):
    assert describe_disturbances(disturbed, repeated) == text


@pytest.mark.parametrize(
    ("forecast", "done", "text"),
    [
        (Forecast(FAST, planned_s=lambda _: 10.0), 0, "3 trials, about 34 s"),
        (
            Forecast(FAST[:1], planned_s=lambda _: 10.0),
            7,
            "1 trial, about 12 s; 7 were made earlier",
        ),
        # Contestants determine the duration.
        (Forecast(FAST), 0, "3 trials"),
    ],
)
def test_the_expected_duration_is_reported_before_the_first_trial(forecast, done, text):
    assert describe_forecast(forecast, done) == text


def send_all_events(progress):
    progress.announce("calibrating")
    progress.step("calibrating", 1, 4, 9.0)
    progress.exclude("none", FAILURE)
    progress.begin(Forecast(FAST[:2]), done=4)
    progress.start(FAST[0])
    stolen = trial(FAST[0], disturbance=STOLEN)
    progress.finish(FAST[0], stolen, 1.0, is_repeated=True)
    progress.start(FAST[0])
    progress.finish(FAST[0], trial(FAST[0]), 1.0, is_repeated=False)
    progress.start(FAST[1])
    progress.finish(FAST[1], trial(FAST[1], FAILURE), 1.0, is_repeated=False)
    progress.extend([FAST[2]])
    progress.start(FAST[2])
    progress.finish(FAST[2], trial(FAST[2]), 1.0, is_repeated=False)
    progress.conclude(0, 1)
    progress.warn("not calibrated")
    progress.close()


LOG = [
    "calibrating",
    "none: crashed: exited with 3 [red]",
    "2 trials; 4 were made earlier",
    f"fast batched repetition 1: {USUAL}; disturbed: {STOLEN}; repeated",
    f"1/2 fast batched repetition 1: {USUAL}",
    "2/2 fast batched repetition 2: crashed: exited with 3 [red]",
    f"3/3 fast batched repetition 3: {USUAL}",
    "1 trial was repeated, none stayed disturbed",
    "not calibrated",
]


def test_in_a_pipe_each_event_is_one_plain_line():
    output = io.StringIO()
    send_all_events(Progress(Console(file=output, width=20)))
    assert output.getvalue().splitlines() == LOG


@pytest.fixture
def shown(tmp_path):
    """Return what a terminal shows during a run, and the lines of its log."""
    output, log = io.StringIO(), tmp_path / "run.log"
    terminal = Console(file=output, width=80, force_terminal=True, color_system=None)
    send_all_events(ProgressBar(terminal, Console(file=log.open("w"))))
    return output.getvalue(), log.read_text().splitlines()


def test_on_a_terminal_a_bar_shows_the_progress_and_the_time_left(shown):
    terminal, _ = shown
    assert "calibrating …" in terminal
    assert "━━━━━╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ 1/4 · about 9 s left · calibrating" in terminal
    assert "0/2 · fast batched repetition 1" in terminal
    assert "1/2 · about 1 s left · fast batched repetition 2" in terminal


def test_on_a_terminal_the_log_is_in_a_file(shown):
    terminal, log = shown
    assert log == LOG
    assert "2 trials; 4 were made earlier\n" in terminal
    assert "not calibrated\n" in terminal
    assert not any(each in terminal for each in ("crashed", "messages/s", "repeated"))


ALL = [*FAST, *SLOW]


@pytest.mark.parametrize(
    ("todo", "finished", "planned_s", "left_s"),
    [
        (FAST, [], {}, None),
        (FAST[:1], [(FAST[0], 1)], {}, 0),
        # A cell takes its average time, and a new one that of the others, 2 and 10.
        (ALL, [(FAST[0], 1), (SLOW[0], 10)], {}, 1 + 1 + 10),
        (ALL, [(FAST[0], 1), (SLOW[0], 10), (FAST[1], 2)], {}, 1.5 + 10),
        (
            [*ALL, attempt("other")],
            [(FAST[0], 1), (FAST[1], 3), (SLOW[0], 10)],
            {},
            2 + 10 + 6,
        ),
        # A trial takes its planned time and an overhead, but never less than planned.
        (ALL, [], PLANNED_S, 230 + 5 * OVERHEAD_S),
        (ALL, [(FAST[0], 12)], PLANNED_S, 2 * 12 + 2 * 102),
        (ALL, [(FAST[0], 12), (SLOW[0], 104)], PLANNED_S, 2 * 12 + 104),
        (ALL, [(FAST[0], 1)], PLANNED_S, 2 * 1 + 2 * 100),
    ],
)
def test_the_time_left_is_estimated_from_similar_trials_and_from_the_plan(
    todo, finished, planned_s, left_s
):
    forecast = Forecast(todo, planned_s=lambda cell: planned_s.get(cell.client, 0.0))
    for made, taken_s in finished:
        forecast.finish(made, taken_s, is_repeated=False)
    assert forecast.left_s() == (left_s and pytest.approx(left_s))
    assert (forecast.finished, forecast.total) == (len(finished), len(todo))


def test_trials_to_repeat_and_additional_ones_are_included():
    forecast = Forecast(FAST[:1])
    forecast.finish(FAST[0], 4.0, is_repeated=True)
    assert (forecast.finished, forecast.left_s()) == (0, 4.0)
    forecast.finish(FAST[0], 4.0, is_repeated=False)
    forecast.extend(FAST[1:])
    assert (forecast.finished, forecast.total, forecast.left_s()) == (1, 3, 8.0)
