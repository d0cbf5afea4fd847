"""Changes of a level in a series."""

import random

import pytest

from autostrada.stats.change_points import VALUES_MIN, change_points


def series(seed, *levels):
    draw = random.Random(seed)
    return [draw.gauss(level, 1.0) for level, count in levels for _ in range(count)]


def test_each_new_level_is_found_where_it_begins():
    values = series(1, (0, 12), (8, 10), (3, 12))
    assert change_points(values) == [12, 22]


def test_a_series_without_a_change_rarely_has_one():
    found = sum(bool(change_points(series(seed, (5, 12)))) for seed in range(200))
    assert found <= 20


@pytest.mark.parametrize("values", [[], [1.0] * 20, [0.0] * 3 + [9.0] * 4])
def test_too_few_or_equal_values_have_no_change(values):
    assert change_points(values) == []


def test_the_smallest_series_with_a_change():
    assert change_points([0.0, 0.1, 0.2, 0.3, 5.0, 5.1, 5.2, 5.3]) == [4]
    assert VALUES_MIN == 8
