"""Bounds from trials that were ended while a metric grew."""

from math import inf

from autostrada.stats.interval import Interval, median_interval
from autostrada.stats.lower_bound import lower_bound_interval


def test_if_all_were_ended_it_is_at_least_their_value():
    for ended in ([8.0], [8.0, 9.0, 10.0]):
        assert lower_bound_interval([], ended) == Interval(
            median=8.0, low=8.0, high=inf, confidence=1.0
        )


def test_with_complete_trials_it_is_the_lower_bound_of_all():
    measured, ended = [1.0, 2.0, 3.0], [8.0, 8.0]
    every = median_interval([*measured, *ended])
    known = lower_bound_interval(measured, ended)
    assert (known.median, known.low, known.high) == (3.0, 1.0, inf)
    assert known.confidence == every.confidence
