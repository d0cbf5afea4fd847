"""Findings among pairs of the same server."""

import random

from compare.same import PAIRS, same_row

LOOKS_MAX = 12


def pairs(difference):
    noise = random.Random(1)
    return [
        [difference + noise.gauss(0, 0.02) for _ in range(LOOKS_MAX)]
        for _ in range(PAIRS)
    ]


def test_findings_of_both_directions_are_counted():
    assert same_row("same", pairs(0.0)).verdict == "reached"
    slower = same_row("slower", pairs(0.1))
    assert (slower.metric, slower.verdict) == (PAIRS, "not reached")
    assert slower.details == ("40 not faster, 0 faster",)
    assert same_row("faster", pairs(-0.1)).details == ("0 not faster, 40 faster",)
