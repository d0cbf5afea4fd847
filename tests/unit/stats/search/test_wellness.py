"""When bots are well: what was achieved, and how soon."""

import pytest

from autostrada.plan.workload import Search
from autostrada.stats.search.wellness import bots_are_well

TIMES = [(1_000_000, 98), (20_000_000, 2)]


def search(**settings):
    values = {"parameter": "connections", "first": 1, "last": 10}
    return Search(**values | settings)


@pytest.mark.parametrize(
    ("share", "is_well"), [(1.0, True), (0.99, True), (0.98, False), (0.0, False)]
)
def test_enough_must_be_achieved(share, is_well):
    assert bots_are_well(search(), share, TIMES) is is_well


@pytest.mark.parametrize(
    ("quantile", "limit_ms", "is_well"),
    [(0.98, 1, True), (0.99, 1, False), (0.99, 20, True), (0.99, 19.9, False)],
)
def test_and_in_time_where_that_is_asked_for(quantile, limit_ms, is_well):
    asked = search(response_time_ms_max=limit_ms, response_time_quantile=quantile)
    assert bots_are_well(asked, 1.0, TIMES) is is_well
