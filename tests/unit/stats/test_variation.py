"""The coefficient of variation, against numbers computed by hand."""

import pytest

from autostrada.stats.variation import coefficient_of_variation


def test_it_is_the_standard_deviation_by_the_mean():
    # Deviations -1, 0 and 1 from 10: a variance of 2 / (3 - 1).
    assert coefficient_of_variation([9, 10, 11]) == pytest.approx(0.1)


def test_it_does_not_depend_on_the_unit():
    assert coefficient_of_variation([90, 100, 110]) == pytest.approx(0.1)


def test_equal_samples_do_not_scatter():
    assert coefficient_of_variation([7, 7]) == 0


def test_one_sample_has_none():
    assert coefficient_of_variation([7]) is None
