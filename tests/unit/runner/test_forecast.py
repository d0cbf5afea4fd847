"""How long what is left takes: by its like, and by its plan."""

import pytest

from autostrada.experiment.matrix import Attempt, Cell
from autostrada.runner.forecast import OVERHEAD_S, Forecast


def attempt(contestant, repetition=0, workload="batched"):
    cell = Cell(client=contestant, workload=workload)
    return Attempt(cell=cell, repetition=repetition, is_warm_up=False)


FAST = [attempt("fast", repetition) for repetition in range(3)]
SLOW = [attempt("slow", repetition) for repetition in range(2)]
RAMP = Cell(client="fast", workload="ramp")
STEP = attempt("fast", workload="ramp connections=1")


def over(forecast, attempt, taken_s):
    forecast.finish(attempt, taken_s, is_repeated=False)


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


def planned_s(cell):
    return {"fast": 10.0, "slow": 100.0}[cell.client]


def test_a_trial_takes_what_is_planned_and_something_beside_it():
    forecast = Forecast([*FAST, *SLOW], planned_s=planned_s)
    assert forecast.left_s() == pytest.approx(230 + 5 * OVERHEAD_S)
    over(forecast, FAST[0], 12.0)
    assert forecast.left_s() == pytest.approx(2 * 12 + 2 * 102)
    over(forecast, SLOW[0], 104.0)
    assert forecast.left_s() == pytest.approx(2 * 12 + 104)


def test_a_trial_that_ends_early_makes_no_other_shorter_than_its_plan():
    forecast = Forecast([*FAST, *SLOW], planned_s=planned_s)
    over(forecast, FAST[0], 1.0)
    assert forecast.left_s() == pytest.approx(2 * 1 + 2 * 100)


def test_a_search_takes_all_its_trials_until_it_is_over():
    left = {RAMP: [STEP.cell] * 4}
    forecast = Forecast([], planned_s=planned_s, searches=lambda: left)
    assert (forecast.searches, forecast.total) == (1, 0)
    assert forecast.left_s() == pytest.approx(4 * (10 + OVERHEAD_S))
    forecast.search([STEP])
    assert (forecast.finished, forecast.total) == (0, 1)
    over(forecast, STEP, 11.0)
    left[RAMP] = [STEP.cell] * 3
    assert (forecast.finished, forecast.total) == (1, 1)
    assert forecast.left_s() == pytest.approx(3 * 11)
    del left[RAMP]
    assert (forecast.searches, forecast.left_s()) == (0, 0)


def test_a_search_is_expected_to_take_what_each_of_its_values_does():
    values = [attempt("fast", workload=f"ramp connections={n}").cell for n in (1, 5)]
    lengths = dict(zip(values, (3.0, 50.0), strict=True))
    forecast = Forecast(
        [], planned_s=lengths.__getitem__, searches=lambda: {RAMP: values}
    )
    assert forecast.left_s() == pytest.approx(3 + 50 + 2 * OVERHEAD_S)
