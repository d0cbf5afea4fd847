"""Difference of response times, for given medians."""

import pytest

from autostrada.errors import EngineError
from compare.modest_rate import K6, difference_row, require_rate


def test_the_metric_is_the_median_of_the_differences_within_rounds():
    medians_ms = {"engine": [0.1, 0.3, 0.2], K6: [0.3, 0.4, 0.5]}
    row = difference_row("median", medians_ms)
    assert row.metric == pytest.approx(0.2)
    assert row.bounds == pytest.approx((0.1, 0.3))
    assert row.shown_bar == "0 ± 1 ms"
    assert row.verdict == "reached"
    assert row.details[:2] == (
        "engine: 0.200 ms (0.100 to 0.300)",
        f"{K6}: 0.400 ms (0.300 to 0.500)",
    )


@pytest.mark.parametrize("difference_ms", [-1.1, 1.1])
def test_more_than_a_millisecond_in_either_direction_is_different(difference_ms):
    medians_ms = {"engine": [2.0] * 3, K6: [2.0 + difference_ms] * 3}
    assert difference_row("median", medians_ms).verdict == "not reached"


def test_a_program_must_keep_to_the_rate():
    require_rate("k6", 1900, window_s=2.0)
    with pytest.raises(EngineError, match="k6: 1,899 of 2,000 messages were answered"):
        require_rate("k6", 1899, window_s=2.0)
