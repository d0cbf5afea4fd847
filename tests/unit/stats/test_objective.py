"""When bots are well: what was achieved, and how soon."""

import pytest

from autostrada.experiment.workload import Search
from autostrada.stats.objective import bots_unwellness

TIMES = [(1_000_000, 98), (20_000_000, 2)]


def search(**settings):
    values = {"parameter": "connections", "first": 1, "last": 10}
    return Search(**values | settings)


@pytest.mark.parametrize(
    ("share", "reason"),
    [
        (1.0, ""),
        (0.99, ""),
        (
            0.98,
            "98.00% of the offered load was achieved (at least 99.00% is asked for)",
        ),
        (0.0, "0.00% of the offered load was achieved (at least 99.00% is asked for)"),
    ],
)
def test_enough_must_be_achieved(share, reason):
    assert bots_unwellness(search(), share, TIMES) == reason


@pytest.mark.parametrize(
    ("quantile", "limit_ms", "is_well"),
    [(0.98, 1, True), (0.99, 1, False), (0.99, 20, True), (0.99, 19.9, False)],
)
def test_and_in_time_where_that_is_asked_for(quantile, limit_ms, is_well):
    asked = search(response_time_ms_max=limit_ms, response_time_quantile=quantile)
    assert (bots_unwellness(asked, 1.0, TIMES) == "") is is_well


def test_how_late_they_were_is_said():
    asked = search(response_time_ms_max=1500, response_time_quantile=0.99)
    assert bots_unwellness(asked, 1.0, [(2_000_000_000, 1)]) == (
        "the response time was 2,000.0 ms at the quantile 0.99, and 1,500 ms are "
        "allowed"
    )
