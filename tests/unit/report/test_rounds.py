"""Requirements are tested by rounds: their ratios, signs and stolen time."""

from math import inf

import pytest

from autostrada.experiment.matrix import Cell
from autostrada.experiment.publication import ClaimRequirement
from autostrada.report.known import KnownMetric
from autostrada.report.rounds import evaluate_requirement
from autostrada.report.samples import Sampled
from autostrada.stats.claim import Finding
from autostrada.stats.prior import Prior

PRECISE = Prior(variance=1e-6, degrees=inf)


def known(*values, stolen=None):
    shares = stolen or (0.0,) * len(values)
    rounds = tuple(range(len(values)))
    sampled = Sampled(values=values, rounds=rounds, stolen_shares=shares)
    return KnownMetric(sampled=sampled, sign="")


def judged(of, to=None, *, prior=None, metric="received_per_s", **limits):
    cells = [Cell(server=name, client="c", workload="w") for name in "ab"]
    required = ClaimRequirement(
        metric=metric,
        of=cells[0],
        to=cells[1] if to else None,
        **{"at_least": None, "at_most": None} | limits,
    )
    return evaluate_requirement(required, of, to, prior=prior)


def test_a_ratio_within_rounds_is_steady_although_the_machine_is_not():
    speeds = (1.0, 0.5, 2.0, 0.7)
    noise = (3.0, 3.003, 2.997, 3.001)
    of = known(*(each * speed for each, speed in zip(noise, speeds, strict=True)))
    to = known(*(2.0 * speed for speed in speeds))
    found = judged(of, to, at_least=1.4)
    assert (found.finding, found.rounds) == (Finding.CONFIRMED, 3)
    assert found.value == pytest.approx(1.5, rel=1e-3)


def test_equal_values_of_what_is_discrete_are_judged_by_their_signs():
    of = {"metric": "disconnected_clients", "at_least": 0.5}
    assert judged(known(*[1.0] * 5), **of).finding is Finding.INCONCLUSIVE
    assert judged(known(*[1.0] * 6), **of).finding is Finding.CONFIRMED
    # Neither do those before the first one that differs.
    of["at_least"] = 1.9
    assert judged(known(2, 2, 2, 1), **of).finding is Finding.INCONCLUSIVE
    assert judged(known(2, 2, 2), at_least=1.9).finding is Finding.CONFIRMED


def test_a_count_of_zero_is_judged_by_its_sign():
    assert judged(known(0, 0, 0, 0, 0, 0), at_most=0).finding is Finding.CONFIRMED
    assert judged(known(0, 0, 0, 0, 0), at_most=0).finding is Finding.INCONCLUSIVE
    found = judged(known(0, 0, 2, 0, 0, 0), at_least=1)
    assert found.finding is Finding.INCONCLUSIVE
    assert judged(known(0, 0, 0, 0, 0, 0), at_least=1).finding is Finding.CONTRADICTED


@pytest.mark.parametrize(
    ("stolen", "finding"),
    [
        (None, Finding.CONFIRMED),
        ((0, 0.9, 0), Finding.CONFIRMED),
        ((0.2, 0, 0), Finding.INCONCLUSIVE),
    ],
)
def test_a_finding_must_not_depend_on_rounds_with_stolen_time(stolen, finding):
    of = known(1.2, 0.998, 0.997, stolen=stolen)
    found = judged(of, prior=PRECISE, at_least=1)
    assert found.finding is finding
    assert ("hypervisor" in found.reason) is (finding is Finding.INCONCLUSIVE)


def test_a_lower_bound_of_too_few_trials_decides_nothing():
    sampled = Sampled(values=(2, 2, 2, 2), lower_bounds=1)
    bound = KnownMetric(sampled=sampled, sign="")
    found = judged(bound, at_least=1)
    assert found.finding is Finding.INCONCLUSIVE
    assert found.reason == (
        "its interval has 87.5% confidence: a finding needs 95%, which at least six "
        "repetitions give"
    )
    found = judged(bound, known(1.0), at_least=1)
    assert found.finding is Finding.INCONCLUSIVE
    assert found.reason == "one repetition has no interval"
