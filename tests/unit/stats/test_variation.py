"""The coefficient of variation, against numbers computed by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autostrada.stats.variation import coefficient_of_variation

samples = st.lists(st.floats(1, 1e6), min_size=2, max_size=9)


def test_two_samples_have_the_expected_coefficient():
    # The mean is 2; the squared deviations are 1 and 1, their sum divided by n - 1 is
    # 2.
    assert coefficient_of_variation([1, 3]) == pytest.approx(2**0.5 / 2)


def test_a_single_sample_has_no_variation():
    assert coefficient_of_variation([5]) is None


@given(samples, st.floats(0.01, 100))
def test_it_is_independent_of_the_unit(values, factor):
    scaled = coefficient_of_variation([factor * value for value in values])
    assert scaled == pytest.approx(coefficient_of_variation(values), abs=1e-9)


@given(st.floats(1, 1e6), st.integers(2, 9))
def test_equal_samples_have_no_variation(value, size):
    assert coefficient_of_variation([value] * size) == pytest.approx(0, abs=1e-12)
