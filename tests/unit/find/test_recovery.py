"""Recovery after an overload, by the seconds of a load."""

import pytest

from autostrada.engine.messages import LoadReport, ReportedSecond
from autostrada.find.recovery import recovery
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
