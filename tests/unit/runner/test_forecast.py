"""The remaining time, estimated from similar trials and from the plan."""

import pytest

from autostrada.experiment.matrix import Attempt, Cell
from autostrada.runner.forecast import OVERHEAD_S, Forecast


def attempt(contestant, repetition=0):
    cell = Cell(client=contestant, workload="batched")
    return Attempt(cell=cell, repetition=repetition)


FAST = [attempt("fast", repetition) for repetition in range(3)]
SLOW = [attempt("slow", repetition) for repetition in range(2)]


def over(forecast, attempt, taken_s):
    forecast.finish(attempt, taken_s, is_repeated=False)


def test_there_is_no_forecast_before_the_first_trial():
    forecast = Forecast(FAST)
    assert forecast.left_s() is None
    assert (forecast.finished, forecast.total) == (0, 3)


def test_a_cell_takes_its_average_time():
    forecast = Forecast([*FAST, *SLOW])
    over(forecast, FAST[0], 1.0)
    over(forecast, SLOW[0], 10.0)
    assert forecast.left_s() == pytest.approx(1.0 + 1.0 + 10.0)
    over(forecast, FAST[1], 2.0)
    assert forecast.left_s() == pytest.approx(1.5 + 10.0)
    assert (forecast.finished, forecast.total) == (3, 5)


def test_a_new_cell_takes_the_time_of_the_others():
    other = attempt("other")
    forecast = Forecast([*FAST, *SLOW, other])
    over(forecast, FAST[0], 1.0)
    over(forecast, FAST[1], 3.0)
    over(forecast, SLOW[0], 10.0)
    # fast takes 2, slow 10; other is estimated as the average of the two.
    assert forecast.left_s() == pytest.approx(2.0 + 10.0 + 6.0)


def test_trials_to_repeat_are_included():
    forecast = Forecast([FAST[0]])
    forecast.finish(FAST[0], 4.0, is_repeated=True)
    assert (forecast.finished, forecast.left_s()) == (0, 4.0)


def test_additional_trials_are_included():
    forecast = Forecast([FAST[0]])
    over(forecast, FAST[0], 4.0)
    forecast.extend(FAST[1:])
    assert (forecast.finished, forecast.total, forecast.left_s()) == (1, 3, 8.0)


def test_nothing_is_left_at_the_end():
    forecast = Forecast([FAST[0]])
    over(forecast, FAST[0], 1.0)
    assert forecast.left_s() == 0


def planned_s(cell):
    return {"fast": 10.0, "slow": 100.0}[cell.client]


def test_a_trial_takes_its_planned_time_and_an_overhead():
    forecast = Forecast([*FAST, *SLOW], planned_s=planned_s)
    assert forecast.left_s() == pytest.approx(230 + 5 * OVERHEAD_S)
    over(forecast, FAST[0], 12.0)
    assert forecast.left_s() == pytest.approx(2 * 12 + 2 * 102)
    over(forecast, SLOW[0], 104.0)
    assert forecast.left_s() == pytest.approx(2 * 12 + 104)


def test_a_trial_that_ends_early_does_not_shorten_the_others():
    forecast = Forecast([*FAST, *SLOW], planned_s=planned_s)
    over(forecast, FAST[0], 1.0)
    assert forecast.left_s() == pytest.approx(2 * 1 + 2 * 100)
