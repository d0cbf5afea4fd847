"""What is chosen, and what is kept of it."""

import pytest

from autostrada.calibration.bottlenecks.cases import known_limits
from autostrada.calibration.command import choose, readings
from autostrada.calibration.fault_cases import Arrangement, weights
from autostrada.calibration.judgement import Comparison
from autostrada.calibration.session import Outcome, Verdict
from autostrada.errors import UsageError
from autostrada.stats.verdict import Limit


def test_without_names_all_are_chosen():
    assert choose(weights(), ()) == weights()


def test_a_name_stands_for_every_arrangement_that_has_it():
    chosen = choose(weights(), ("lose-echo",))
    assert [each.arrangement for each in chosen] == list(Arrangement)


def test_an_unknown_weight_is_answered_with_those_that_are_known():
    with pytest.raises(UsageError, match=r"no weight is called heavy; .*delay-20ms"):
        choose(weights(), ("heavy", "delay-20ms"))


def test_each_figure_is_a_row_and_a_disturbance_one_without(weight):
    comparisons = (
        Comparison(figure="missing", seen=1, expected=1),
        Comparison(figure="wrong", seen=2, expected=0, tolerance=1),
    )
    judged = Outcome(
        weight=weight("lose-echo"),
        verdict=Verdict.FAIL,
        comparisons=comparisons,
        reason="",
        attempts=1,
    )
    disturbed = Outcome(
        weight=weight("clump-5"),
        verdict=Verdict.DISTURBED,
        comparisons=(),
        reason="others",
        attempts=5,
    )
    rows = list(readings([judged, disturbed]))
    assert [(row.weight, row.outcome, row.figure) for row in rows] == [
        ("lose-echo", "pass", "missing"),
        ("lose-echo", "fail", "wrong"),
        ("clump-5", "disturbed", None),
    ]
    assert (rows[1].seen, rows[1].expected, rows[1].tolerance) == (2, 0, 1)
    assert (rows[2].reason, rows[2].attempts, rows[2].seen) == ("others", 5, None)


def test_known_limits_are_chosen_by_name_as_weights_are():
    [chosen] = choose([*weights(), *known_limits()], ("verdict-network",))
    assert chosen.limit is Limit.NETWORK
