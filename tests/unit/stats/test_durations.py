"""Durations as they are stored."""

import pytest

from autostrada.stats.durations import count_of, mean_ns, quantile_ns

VALUES = [(30, 1), (10, 2), (20, 1)]


def test_they_are_counted_and_averaged():
    assert count_of(VALUES) == 4
    assert mean_ns(VALUES) == 17.5
    assert (count_of([]), mean_ns([])) == (0, 0)


@pytest.mark.parametrize(
    ("quantile", "duration"), [(0, 10), (0.5, 10), (0.51, 20), (0.75, 20), (1, 30)]
)
def test_a_quantile_is_one_of_them(quantile, duration):
    assert quantile_ns(VALUES, quantile) == duration


def test_without_durations_the_quantile_is_0():
    assert quantile_ns([], 0.99) == 0
