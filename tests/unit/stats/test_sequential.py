"""A sequential test keeps its probability of error, and decides with few samples."""

from math import log, sqrt
from statistics import fmean

import numpy as np
import pytest

from autostrada.stats.claim import ClaimLimits, Finding
from autostrada.stats.sequential import (
    ERROR_MAX,
    LOOKS,
    NO_OUTLOOK,
    Errors,
    decide,
    decide_signs,
    outlook,
    sign_outlook,
)

RUNS = 4_000
ERROR = 3 * sqrt(0.05 * 0.95 / RUNS)
"""Three standard deviations of a share of 5 % among as many independent findings."""

AT_LEAST = ClaimLimits(least=0.0)


def equal(random, size):
    return np.full(size, 0.05)


def mixed(random, size):
    return 0.05 * np.exp(random.normal(0, 0.5, size))


def drawn(random, mean, deviations):
    return random.normal(mean, deviations[:, None], (len(deviations), LOOKS[-1]))


def slowed(random, samples):
    """Slow down a fifth of the trials on each side of a ratio, by 5 to 30 %."""
    for sign in (1, -1):
        is_slow = random.random(samples.shape) < 0.2
        samples += sign * is_slow * np.log(random.uniform(1.05, 1.3, samples.shape))
    return samples


def findings(samples, **options):
    return [decide(list(map(float, row)), AT_LEAST, **options) for row in samples]


def share(decision, finding):
    return fmean(each.finding is finding for each in decision)


@pytest.mark.parametrize("deviations", [equal, mixed])
@pytest.mark.parametrize("is_slowed", [False, True])
def test_five_percent_of_findings_are_false_in_each_direction(deviations, is_slowed):
    random = np.random.default_rng(1)
    samples = drawn(random, 0.0, deviations(random, RUNS))
    if is_slowed:
        samples = slowed(random, samples)
    decision = findings(samples)
    for finding in (Finding.CONFIRMED, Finding.CONTRADICTED):
        assert share(decision, finding) <= 0.05 + ERROR


@pytest.mark.parametrize("later", [4, 9])
def test_machines_of_another_noise_cause_no_more_false_findings(later):
    random = np.random.default_rng(4)
    samples = drawn(random, 0.0, equal(random, RUNS))
    samples[:, -later:] *= 3
    ended = findings(samples)
    for finding in (Finding.CONFIRMED, Finding.CONTRADICTED):
        assert share(ended, finding) <= 0.05 + ERROR


def test_the_error_may_be_spent_over_fewer_rounds():
    random = np.random.default_rng(5)
    samples = drawn(random, 0.0, equal(random, RUNS))
    decision = findings(samples, errors=Errors(rounds=6))
    for finding in (Finding.CONFIRMED, Finding.CONTRADICTED):
        assert 0.02 < share(decision, finding) <= 0.05 + ERROR
    assert max(each.samples for each in decision) == 6
    # Five signs of five have a probability of 1/32.
    assert decide_signs([True] * 5).finding is Finding.INCONCLUSIVE
    assert decide_signs([True] * 5, errors=Errors(rounds=8)).finding is (
        Finding.CONFIRMED
    )


def test_a_claim_of_many_parts_is_rarely_contradicted_falsely():
    random = np.random.default_rng(2)
    parts = 9
    claims = 1_000
    samples = drawn(random, 0.0, equal(random, claims * parts))
    decision = findings(samples, errors=Errors(contradicting=ERROR_MAX / parts))
    wrong = [
        any(
            part.finding is Finding.CONTRADICTED
            for part in decision[start : start + parts]
        )
        for start in range(0, len(decision), parts)
    ]
    assert fmean(wrong) <= 0.05 + 3 * sqrt(0.05 * 0.95 / claims)


@pytest.mark.parametrize(
    ("ratio", "decided", "rounds"), [(1.1, 0.8, 9), (1.2, 0.98, 6)]
)
def test_a_margin_is_decided_with_few_rounds(ratio, decided, rounds):
    random = np.random.default_rng(3)
    decision = findings(drawn(random, log(ratio), np.full(1_000, 0.1)))
    assert share(decision, Finding.CONFIRMED) >= decided
    assert fmean(each.samples for each in decision) <= rounds


def test_the_first_look_that_decides_is_the_last():
    samples = [0.5, 0.51, 0.52, -9.0, -9.0]
    decision = decide(samples, AT_LEAST)
    assert (decision.finding, decision.samples) == (Finding.CONFIRMED, 3)
    assert decision.mean == pytest.approx(0.51)
    assert 0 < decision.low < decision.mean < decision.high


def test_a_mean_has_to_be_within_both_limits():
    samples = [0.5, 0.51, 0.52]
    within = ClaimLimits(least=0.3, most=0.8)
    assert decide(samples, within).finding is Finding.CONFIRMED
    assert (
        decide(samples, ClaimLimits(least=0.3, most=0.505)).finding
        is Finding.INCONCLUSIVE
    )
    beyond = ClaimLimits(least=0.0, most=0.3)
    assert decide(samples, beyond).finding is Finding.CONTRADICTED


def test_too_few_samples_have_no_finding():
    assert decide([1.0, 1.0], AT_LEAST) is None
    assert decide_signs([True, True]) is None


def test_equal_samples_are_no_more_exact_than_a_thousandth():
    assert decide([0.1] * 3, AT_LEAST).finding is Finding.CONFIRMED
    assert decide([0.003] * 3, AT_LEAST).finding is Finding.INCONCLUSIVE


def test_equal_samples_of_what_is_discrete_decide_nothing():
    decision = decide([0.1] * 5, AT_LEAST, is_discrete=True)
    assert decision.finding is Finding.INCONCLUSIVE


def test_signs_need_six_trials_that_agree():
    assert decide_signs([True] * 5).finding is Finding.INCONCLUSIVE
    decision = decide_signs([True] * 6)
    assert (decision.finding, decision.mean) == (Finding.CONFIRMED, 1.0)
    assert decide_signs([False] * 6).finding is Finding.CONTRADICTED
    assert (
        decide_signs([False] * 6, errors=Errors(contradicting=ERROR_MAX / 4)).finding
        is Finding.INCONCLUSIVE
    )
    assert (
        decide_signs([False] * 8, errors=Errors(contradicting=ERROR_MAX / 4)).finding
        is Finding.CONTRADICTED
    )


def test_signs_are_rarely_wrong():
    random = np.random.default_rng(4)
    trials = random.random((RUNS, LOOKS[-1])) < 0.5
    decision = [decide_signs([bool(each) for each in row]) for row in trials]
    assert share(decision, Finding.CONFIRMED) <= 0.05 + ERROR


def test_the_probability_of_a_finding_is_that_of_the_look():
    random = np.random.default_rng(7)
    means = random.normal(0, 0.1, 20_000)
    samples = random.normal(means[:, None], 0.05, (len(means), LOOKS[-1])).tolist()
    options = {"limits": AT_LEAST}
    before = LOOKS[-2]
    undecided = [
        row
        for row in samples
        if decide(row[:before], **options).finding is Finding.INCONCLUSIVE
    ]
    expected = [outlook(row[:before], **options) for row in undecided]
    found = [decide(row, **options) for row in undecided]
    confirmed = fmean(each.confirming for each in expected)
    assert share(found, Finding.CONFIRMED) == pytest.approx(confirmed, abs=0.03)
    contradicted = fmean(each.contradicting for each in expected)
    assert share(found, Finding.CONTRADICTED) == pytest.approx(contradicted, abs=0.03)


def test_the_further_a_mean_is_from_its_limit_the_sooner_a_look_decides():
    looks = [
        outlook([mean - 0.05, mean, mean + 0.05], AT_LEAST).needed_samples
        for mean in (0.1, 0.05, 0.0001)
    ]
    assert looks[0] < looks[1]
    assert looks[2] is None


def test_nothing_is_expected_after_the_last_look():
    values = [0.01, -0.01] * (LOOKS[-1] // 2)
    assert outlook(values, AT_LEAST) is NO_OUTLOOK
    assert sign_outlook([True, False] * (LOOKS[-1] // 2)) is NO_OUTLOOK


@pytest.mark.parametrize(("number", "chance"), [(5, 6 / 7), (3, (4 / 5) ** 3)])
def test_signs_that_agree_are_expected_to_go_on_agreeing(number, chance):
    expected = sign_outlook([True] * number)
    assert expected.confirming == pytest.approx(chance)
    assert expected.contradicting == 0
    # Six that agree are the fewest that decide.
    left = 6 - number
    assert (expected.next_samples, expected.needed_samples) == (left, left)
