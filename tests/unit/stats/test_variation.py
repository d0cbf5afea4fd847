"""The coefficient of variation, against numbers computed by hand."""

import pytest

from autostrada.stats.variation import coefficient_of_variation


def test_two_samples_have_the_expected_coefficient():
    # The mean is 2; the squared deviations are 1 and 1, their sum divided by n - 1 is
    # 2.
    assert coefficient_of_variation([1, 3]) == pytest.approx(2**0.5 / 2)


def test_a_single_sample_has_no_variation():
    assert coefficient_of_variation([5]) is None
