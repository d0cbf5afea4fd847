"""A line through loads of different sizes, and its prediction interval."""

import numpy as np
import pytest

from autostrada.find.sizing import predicted


def test_points_on_a_line_predict_it_exactly():
    found = predicted([(10, 25), (20, 45), (40, 85)], 100)
    assert (found.value, found.low, found.high) == pytest.approx((205, 205, 205))


def test_the_interval_contains_a_further_observation():
    random = np.random.default_rng(7)
    sizes = [100, 200, 400, 800, 1600]
    contained = 0
    for _ in range(2_000):
        values = [5 + 0.02 * size + random.normal(0, 2) for size in sizes]
        found = predicted(list(zip(sizes, values, strict=True)), 3_000)
        further = 5 + 0.02 * 3_000 + random.normal(0, 2)
        contained += found.low <= further <= found.high
    assert 0.93 <= contained / 2_000 <= 0.97


def test_fewer_than_three_sizes_predict_nothing():
    assert predicted([(10, 1), (10, 2), (20, 3)], 100) is None
