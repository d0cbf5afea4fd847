"""Two sides are told apart, or equivalent, with the stated errors; simulated."""

from math import exp, inf, log1p, sqrt

import numpy as np
import pytest

from autostrada.stats.change import Direction
from autostrada.stats.equivalence import (
    ERROR_MAX,
    LOOKS,
    POWER,
    compare_sides,
    paired_logs,
)

MARGIN = 0.03
TABLES = 1_000
ROWS = 8
SLICE_NS = 300_000_000


def chance(share, number):
    """Return three standard deviations of a share of so many independent ones."""
    return 3 * sqrt(share * (1 - share) / number)


def findings(mean, deviation, *, tables=TABLES, rows=1, margin=MARGIN):
    """Return the findings of simulated tables, a list of rows each."""
    samples = np.random.default_rng(55).normal(
        mean, np.reshape(deviation, (-1, 1)), (tables, rows, 12)
    )
    return [
        [compare_sides(row, margin=margin, rows=rows, rounds_max=12) for row in table]
        for table in samples.tolist()
    ]


def share(tables, *wanted):
    """Return the share of tables in which any row has one of these findings."""
    return sum(any(row.direction in wanted for row in each) for each in tables) / len(
        tables
    )


def test_over_all_rows_and_looks_the_error_is_as_stated():
    # With so small a margin no row is found to be the same, and all looks are used.
    tables = findings(0.0, 0.02, rows=ROWS, margin=1e-9)
    false = share(tables, Direction.HIGHER, Direction.LOWER)
    assert abs(false - ERROR_MAX) <= chance(ERROR_MAX, TABLES)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_change_of_the_margin_is_rarely_found_to_be_the_same(sign):
    tables = findings(sign * log1p(MARGIN), 0.01, tables=4 * TABLES)
    error = chance(ERROR_MAX / 2, 4 * TABLES)
    false = share(tables, Direction.SAME)
    # A row that is found to have changed is not tested again: less than the error.
    assert ERROR_MAX / 20 <= false <= ERROR_MAX / 2 + error
    opposite = Direction.LOWER if sign > 0 else Direction.HIGHER
    assert share(tables, opposite) == 0


def test_equal_sides_are_the_same_and_a_larger_change_is_found():
    assert share(findings(0.0, 0.01), Direction.SAME) > 0.95
    assert share(findings(0.04, 0.01), Direction.HIGHER) > 0.95
    assert share(findings(-0.04, 0.01), Direction.LOWER) > 0.95


def test_a_change_is_detected_that_so_many_rounds_detect():
    [[first], *_] = findings(0.0, 0.02, margin=1e-9)
    changed = findings(log1p(first.detectable), 0.02, margin=1e-9)
    assert abs(share(changed, Direction.HIGHER) - POWER) < 0.2


@pytest.mark.parametrize("number", range(1, LOOKS[0]))
def test_before_the_first_look_nothing_is_known(number):
    found = compare_sides([0.1] * number, margin=MARGIN, rows=ROWS)
    assert found.direction is Direction.UNCLEAR
    assert (found.ratio.low, found.ratio.high, found.detectable) == (0, inf, None)
    assert found.ratio.confidence == 0
    assert found.needed_rounds == LOOKS[0] - number


@pytest.mark.parametrize(
    ("mean", "finding"),
    [(0.0, Direction.SAME), (0.5, Direction.HIGHER), (-0.5, Direction.LOWER)],
)
def test_equal_samples_decide_with_the_smallest_deviation(mean, finding):
    found = compare_sides([mean] * LOOKS[0], margin=MARGIN, rows=ROWS)
    assert (found.direction, found.needed_rounds) == (finding, 0)
    assert found.ratio.low < exp(mean) < found.ratio.high


def test_the_rounds_until_a_decision_are_those_of_the_noise():
    noisy = [0.1, -0.1, 0.08, -0.08, 0.1, -0.1, 0.08]
    # Its interval has to be six times as narrow: not within the planned rounds.
    found = compare_sides(noisy, margin=MARGIN, rows=ROWS)
    assert found.direction is Direction.UNCLEAR
    assert found.needed_rounds > LOOKS[-1] - len(noisy)
    less = compare_sides([each / 8 for each in noisy], margin=MARGIN, rows=ROWS)
    assert less.needed_rounds in {look - len(noisy) for look in LOOKS}


def test_a_limit_within_the_interval_needs_more_rounds():
    changed = [0.5, 0.505, 0.51]
    assert compare_sides(changed, margin=MARGIN, rows=ROWS).needed_rounds == 0
    limited = [
        compare_sides(changed, margin=MARGIN, rows=ROWS, limits=[limit])
        for limit in (1.6, 3.0, exp(0.505))
    ]
    assert [each.direction for each in limited] == [Direction.HIGHER] * 3
    near, far, equal = (each.needed_rounds for each in limited)
    assert far == 0 < near < equal


def test_a_start_without_slices_of_a_side_is_left_out_and_blocks_cancel():
    random = np.random.default_rng(5)
    before, after = {}, {}
    for start in range(4):
        order = random.permutation([0, 1] * 8)
        of_blocks = random.normal(0, 0.3, 2)
        for turn, is_after in enumerate(order):
            cost = exp(0.1 * is_after + of_blocks[turn // 8])
            side = after if is_after else before
            side.setdefault(start, {})[turn * SLICE_NS] = cost
    assert paired_logs(before, after) == pytest.approx([0.1] * 4)
    del after[2]
    assert paired_logs(before, after) == pytest.approx([0.1] * 3)
    assert paired_logs(before, {}) == []
