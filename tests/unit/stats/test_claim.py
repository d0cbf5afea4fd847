"""Verdicts on claims, from bounds."""

from itertools import product
from math import inf

import pytest

from autostrada.stats.claim import ClaimLimits, Finding, either, together, within

CONFIRMED, CONTRADICTED, INCONCLUSIVE, NOT_TESTED = Finding


@pytest.mark.parametrize(
    ("low", "high", "least", "most", "finding"),
    [
        (2, 3, 2, inf, CONFIRMED),
        (2, 3, 2.1, inf, INCONCLUSIVE),
        (2, 3, 3, inf, INCONCLUSIVE),
        (2, 3, 3.1, inf, CONTRADICTED),
        (2, 3, -inf, 3, CONFIRMED),
        (2, 3, -inf, 2, INCONCLUSIVE),
        (2, 3, -inf, 1.9, CONTRADICTED),
        (2, 3, 2, 3, CONFIRMED),
        (1, 4, 2, 3, INCONCLUSIVE),
        (0, 1, 2, 3, CONTRADICTED),
        (4, 5, 2, 3, CONTRADICTED),
        (2, 2, 2, 2, CONFIRMED),
        (0, 0, -inf, 0, CONFIRMED),
    ],
)
def test_an_interval_on_one_side_of_the_limit_decides(low, high, least, most, finding):
    assert within(low, high, ClaimLimits(least=least, most=most)) is finding


def test_all_parts_must_be_confirmed_and_one_contradiction_decides():
    assert together([CONFIRMED]) is CONFIRMED
    assert together([]) is NOT_TESTED
    assert together([NOT_TESTED, NOT_TESTED]) is NOT_TESTED
    for parts in product(Finding, repeat=3):
        expected = CONFIRMED
        if {INCONCLUSIVE, NOT_TESTED} & {*parts}:
            expected = INCONCLUSIVE
        if {*parts} == {NOT_TESTED}:
            expected = NOT_TESTED
        if CONTRADICTED in parts:
            expected = CONTRADICTED
        assert together(parts) is expected


def test_one_confirmed_alternative_decides_and_all_must_be_contradicted():
    assert either([CONTRADICTED, CONFIRMED]) is CONFIRMED
    assert either([CONTRADICTED, CONTRADICTED]) is CONTRADICTED
    assert either([CONTRADICTED, INCONCLUSIVE]) is INCONCLUSIVE
    assert either([NOT_TESTED, CONFIRMED]) is CONFIRMED
    assert either([NOT_TESTED, NOT_TESTED]) is NOT_TESTED
