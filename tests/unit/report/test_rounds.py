"""Requirements are tested by rounds: their ratios, signs and stolen time."""

from dataclasses import replace

import pytest

from autostrada.experiment.matrix import Cell
from autostrada.experiment.publication import ClaimRequirement
from autostrada.report.bounds import MetricBounds
from autostrada.report.conclusion import EvaluatedRequirement, RequirementCell
from autostrada.report.rounds import evaluate_requirement
from autostrada.report.samples import Sampled
from autostrada.stats.claim import Finding


def sampled(*values, stolen=None, machines=()):
    trials = Sampled(
        values=values,
        rounds=tuple(range(len(values))),
        stolen_shares=stolen or (0.0,) * len(values),
        machines=machines,
    )
    return MetricBounds(sampled=trials, sign="")


def requirement(*, has_ratio, metric="received_per_s", **limits):
    cells = [Cell(server=name, client="c", workload="w") for name in "ab"]
    return ClaimRequirement(
        metric=metric,
        of=cells[0],
        to=cells[1] if has_ratio else None,
        **{"at_least": None, "at_most": None} | limits,
    )


def judged(of, to=None, **required):
    return evaluate_requirement(requirement(has_ratio=bool(to), **required), of, to)


def test_a_ratio_within_rounds_is_steady_although_the_machine_is_not():
    speeds = (1.0, 0.5, 2.0, 0.7)
    noise = (3.0, 3.003, 2.997, 3.001)
    of = sampled(*(each * speed for each, speed in zip(noise, speeds, strict=True)))
    to = sampled(*(2.0 * speed for speed in speeds))
    found = judged(of, to, at_least=1.4)
    assert (found.finding, found.rounds) == (Finding.CONFIRMED, 3)
    assert found.value == pytest.approx(1.5, rel=1e-3)


def test_equal_values_of_what_is_discrete_are_judged_by_their_signs():
    of = {"metric": "disconnected_clients", "at_least": 0.5}
    assert judged(sampled(*[1.0] * 5), **of).finding is Finding.INCONCLUSIVE
    assert judged(sampled(*[1.0] * 6), **of).finding is Finding.CONFIRMED
    # Neither do those before the first one that differs.
    of["at_least"] = 1.9
    assert judged(sampled(2, 2, 2, 1), **of).finding is Finding.INCONCLUSIVE
    assert judged(sampled(2, 2, 2), at_least=1.9).finding is Finding.CONFIRMED


def test_a_count_of_zero_is_judged_by_its_sign():
    assert judged(sampled(0, 0, 0, 0, 0, 0), at_most=0).finding is Finding.CONFIRMED
    assert judged(sampled(0, 0, 0, 0, 0), at_most=0).finding is Finding.INCONCLUSIVE
    found = judged(sampled(0, 0, 2, 0, 0, 0), at_least=1)
    assert found.finding is Finding.INCONCLUSIVE
    assert judged(sampled(0, 0, 0, 0, 0, 0), at_least=1).finding is Finding.CONTRADICTED


LOW, HIGH = 0.999, 1.2
UNEVEN = (LOW, HIGH, LOW, HIGH, LOW, HIGH, HIGH, LOW, HIGH, HIGH)
"""Values whose mean is decided after ten rounds, four of which say the opposite."""


@pytest.mark.parametrize(
    ("stolen", "finding"),
    [
        ((), Finding.CONFIRMED),
        ((0, 2, 4), Finding.CONFIRMED),
        ((6, 8, 9), Finding.INCONCLUSIVE),
    ],
)
def test_a_finding_must_not_depend_on_rounds_with_stolen_time(stolen, finding):
    shares = tuple(0.2 * (number in stolen) for number in range(len(UNEVEN)))
    found = judged(sampled(*UNEVEN, stolen=shares), at_least=1)
    assert found.finding is finding
    assert ("hypervisor" in found.reason) is (finding is Finding.INCONCLUSIVE)


def test_a_lower_bound_of_too_few_trials_decides_nothing():
    trials = Sampled(values=(2, 2, 2, 2), lower_bounds=1)
    bound = MetricBounds(sampled=trials, sign="")
    found = judged(bound, at_least=1)
    assert found.finding is Finding.INCONCLUSIVE
    assert found.reason == (
        "its interval has 87.5% confidence: a finding needs 95%, which at least six "
        "repetitions give"
    )
    found = judged(bound, sampled(1.0), at_least=1)
    assert found.finding is Finding.INCONCLUSIVE
    assert found.reason == "one repetition has no interval"


@pytest.mark.parametrize(
    ("limits", "finding"),
    [
        # Of the second, 3.0 at most and 1.5 at least, the first is 1/3 to 2/3.
        ({"at_most": 0.7}, Finding.CONFIRMED),
        ({"at_most": 0.5}, Finding.INCONCLUSIVE),
        ({"at_most": 0.3}, Finding.CONTRADICTED),
        ({"at_least": 0.3}, Finding.CONFIRMED),
        ({"at_least": 0.5}, Finding.INCONCLUSIVE),
        ({"at_least": 0.7}, Finding.CONTRADICTED),
        ({"at_least": 0.45, "at_most": 0.55}, Finding.INCONCLUSIVE),
    ],
)
def test_a_metric_between_two_others_is_decided_by_both(limits, finding):
    response, service = sampled(3.0, 3.01, 2.99), sampled(1.5, 1.501, 1.499)
    to = replace(response, sign="≤ ", at_least=service.sampled)
    found = judged(sampled(1.0, 1.0, 1.0), to, metric="response_ms_mean", **limits)
    assert found.finding is finding
    assert found.value == pytest.approx(2 / 3, rel=1e-2)
    assert 0.3 < found.low < 1 / 3 < 2 / 3 < found.high < 0.7


MACHINES = ("Abacus", "Abacus", "Abacus", "Zuse", "Zuse", "Zuse")


def test_rounds_of_several_machines_count_for_ratios():
    of = sampled(2.0, 2.01, 1.99, 4.1, 4.09, 4.11, machines=MACHINES)
    to = sampled(1.0, 1.0, 1.0, 2.0, 2.0, 2.0, machines=MACHINES)
    found = judged(of, to, at_least=1.9, at_most=2.2)
    assert found.finding is Finding.CONFIRMED
    assert found.by_machine == {
        "Abacus": (pytest.approx(2.0), 3),
        "Zuse": (pytest.approx(2.05), 3),
    }


@pytest.mark.parametrize(
    ("at_least", "title"), [(1.9, "By machine"), (2.03, "The machines disagree")]
)
def test_machines_that_disagree_are_named(at_least, title):
    of = sampled(2.0, 2.01, 1.99, 4.1, 4.09, 4.11, machines=MACHINES)
    to = sampled(1.0, 1.0, 1.0, 2.0, 2.0, 2.0, machines=MACHINES)
    required = requirement(has_ratio=True, at_least=at_least)
    cells = [
        RequirementCell(outcome=None, bounds=each, longer=None) for each in (of, to)
    ]
    evaluated = EvaluatedRequirement(
        required=required,
        cells=tuple(cells),
        test=evaluate_requirement(required, of, to),
    )
    text = f"{title}: 2.00× in 3 rounds on Abacus; 2.05× in 3 rounds on Zuse."
    assert text in evaluated.sentence


@pytest.mark.parametrize(("any_machine", "value"), [(False, 4.1), (True, 2.0)])
def test_limits_of_a_metric_itself_are_those_of_the_newest_machine(any_machine, value):
    of = sampled(2.0, 2.01, 1.99, 4.1, 4.09, 4.11, machines=MACHINES)
    found = judged(of, at_least=3, any_machine=any_machine)
    assert found.value == pytest.approx(value, rel=1e-2)
    assert (found.finding is Finding.CONFIRMED) is not any_machine
