"""Pairs of the same server: their orders, and what is found among them."""

import random

from compare.same import LOOKS, PAIRS, orders, same_row, sign_test


def pairs(difference):
    noise = random.Random(1)
    rounds = range(LOOKS[-1])
    return [[difference + noise.gauss(0, 0.02) for _ in rounds] for _ in range(PAIRS)]


def test_orders_are_drawn_in_balanced_blocks():
    drawn = orders(seed=7)
    assert (len(drawn), {len(pair) for pair in drawn}) == (PAIRS, {LOOKS[-1]})
    for lines in (drawn, list(zip(*drawn, strict=True))):
        for line in lines:
            blocks = zip(line[::2], line[1::2], strict=True)
            assert all(one != other for one, other in blocks)
    assert len(set(drawn)) > PAIRS // 2, "the pairs do not change their order together"
    assert drawn == orders(seed=7) != orders(seed=8)


def test_findings_and_signs_of_both_directions_are_counted():
    a_first = orders(seed=7)
    equal = same_row("same", pairs(0.0), a_first)
    assert equal.verdict == "reached"
    slower = same_row("slower", pairs(0.1), a_first)
    assert (slower.metric, slower.verdict) == (PAIRS, "not reached")
    assert slower.details[0] == "40 not faster, 0 faster"
    assert "in 480 of 480 comparisons: sign test, p = 0.000" in slower.details[1]
    assert "in 240 of 480 comparisons: sign test, p = 1.000" in slower.details[2]
    faster = same_row("faster", pairs(-0.1), a_first)
    assert faster.details[0] == "0 not faster, 40 faster"


def test_the_sign_test_is_exact_and_leaves_out_equal_times():
    assert sign_test([1, 1, 1, 1, 1, 0]) == "5 of 5 comparisons: sign test, p = 0.062"
    assert sign_test([1, -1]).endswith("p = 1.000")
    assert sign_test([0]).startswith("0 of 0")
