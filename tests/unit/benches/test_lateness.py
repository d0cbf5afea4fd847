"""Quantiles of the engine's buckets."""

import pytest

from compare.lateness import quantile_ns

BUCKETS = [(100, 900), (2046, 90), (4096, 9), (1_000_000, 1)]


@pytest.mark.parametrize(
    ("quantile", "expected"),
    [
        (0.5, 100),
        (0.99, 2046),
        (0.999, 4096 + 3),
        (1.0, 1_000_000 + 511),
    ],
)
def test_a_quantile_is_the_highest_duration_of_its_bucket(quantile, expected):
    assert quantile_ns(BUCKETS, quantile) == expected
