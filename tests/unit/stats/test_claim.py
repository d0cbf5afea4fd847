"""What bounds tell of a claim."""

from itertools import product

import pytest

from autostrada.stats.claim import Holding, together, within

HOLDS, FAILS, UNTOLD = Holding.HOLDS, Holding.FAILS, Holding.UNTOLD


@pytest.mark.parametrize(
    ("low", "high", "at_least", "at_most", "holding"),
    [
        (2, 3, 2, None, HOLDS),
        (2, 3, 2.1, None, UNTOLD),
        (2, 3, 3, None, UNTOLD),
        (2, 3, 3.1, None, FAILS),
        (2, 3, None, 3, HOLDS),
        (2, 3, None, 2, UNTOLD),
        (2, 3, None, 1.9, FAILS),
        (2, 3, 2, 3, HOLDS),
        (1, 4, 2, 3, UNTOLD),
        (0, 1, 2, 3, FAILS),
        (4, 5, 2, 3, FAILS),
        (2, 2, 2, 2, HOLDS),
        (0, 0, None, 0, HOLDS),
    ],
)
def test_an_interval_tells_where_it_lies_on_one_side(
    low, high, at_least, at_most, holding
):
    assert within(low, high, at_least=at_least, at_most=at_most) is holding


def test_all_parts_must_hold_and_one_that_fails_decides():
    assert together([HOLDS]) is HOLDS
    assert together([]) is UNTOLD
    for parts in product(Holding, repeat=3):
        expected = FAILS if FAILS in parts else UNTOLD if UNTOLD in parts else HOLDS
        assert together(parts) is expected
