"""Half-width of an interval relative to its median, computed by hand."""

import pytest

from autostrada.stats.precision import half_width


def test_the_farther_bound_counts():
    # The interval of six samples is their range: from 98 to 106, around 101.
    assert half_width([98, 100, 100, 102, 104, 106]) == pytest.approx(5 / 101)
    assert half_width([90, 100, 100, 100, 100, 101]) == pytest.approx(0.1)


def test_equal_samples_have_no_width():
    assert half_width([7.0] * 6) == 0


def test_with_more_samples_the_extremes_are_cut_off():
    assert half_width([1, *[100] * 7, 1_000]) == 0


@pytest.mark.parametrize("samples", [[], [5], [5] * 5, [0] * 6], ids=str)
def test_without_an_interval_there_is_no_width(samples):
    assert half_width(samples) is None
