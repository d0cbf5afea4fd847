"""Recovery after an overload, and the prediction of what larger loads need."""

import numpy as np
import pytest

from autostrada.engine.messages import LoadReport, ReportedSecond
from autostrada.find.recovery import recovery
from autostrada.find.sizing import predicted
from autostrada.find.text import recovery_line

BROKEN, MET = ("p99 >= 50ms",), ()


def after(broken, ended_s):
    """Return the recovery of a load beside one that ended after so many seconds."""
    load = LoadReport.model_construct(
        window_start_ns=10**12,
        window_ns=len(broken) * 10**9,
        seconds=[
            ReportedSecond.model_construct(broken=each) for each in [*broken, BROKEN]
        ],
    )
    added = LoadReport.model_construct(
        window_start_ns=10**12 + 5 * 10**8,
        window_ns=round(ended_s * 1e9) - 5 * 10**8,
    )
    return recovery(load, added)


@pytest.mark.parametrize(
    ("broken", "ended_s", "after_s"),
    [
        ([MET, BROKEN, BROKEN, MET, MET], 3.0, 0),
        ([MET, BROKEN, BROKEN, BROKEN, BROKEN, MET], 3.2, 2),
        ([MET, BROKEN, MET, BROKEN, MET], 2.0, 2),
        ([MET, MET, MET], 2.0, 0),
        ([MET, BROKEN, BROKEN, BROKEN], 2.0, None),
    ],
)
def test_a_server_has_recovered_once_it_meets_the_objective_for_good(
    broken, ended_s, after_s
):
    assert after(broken, ended_s).after_s == after_s


@pytest.mark.parametrize(
    ("broken", "line"),
    [
        ([MET] * 5, "no second of the overload broke"),
        ([BROKEN, BROKEN, MET, MET, MET], "recovered within a second after"),
        ([BROKEN, BROKEN, BROKEN, BROKEN, MET, MET], "recovered 2 seconds after"),
        ([BROKEN] * 4, "did not recover: 2 seconds after"),
    ],
)
def test_the_answer_says_whether_it_recovered(broken, line):
    assert recovery_line(after(broken, 2.0)).startswith(line)


def test_points_on_a_line_predict_it_exactly():
    found = predicted([(10, 25), (20, 45), (40, 85)], 100)
    assert (found.value, found.low, found.high) == pytest.approx((205, 205, 205))


def test_the_interval_contains_a_further_observation():
    random = np.random.default_rng(7)
    sizes = [100, 200, 400, 800, 1600]
    contained = 0
    for _ in range(2_000):
        values = [5 + 0.02 * size + random.normal(0, 2) for size in sizes]
        found = predicted(list(zip(sizes, values, strict=True)), 3_000)
        further = 5 + 0.02 * 3_000 + random.normal(0, 2)
        contained += found.low <= further <= found.high
    assert 0.93 <= contained / 2_000 <= 0.97


def test_fewer_than_three_sizes_predict_nothing():
    assert predicted([(10, 1), (10, 2), (20, 3)], 100) is None
