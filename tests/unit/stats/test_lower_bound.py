"""What trials tell that were ended as a figure grew."""

from math import inf

from autostrada.stats.interval import Interval, median_interval
from autostrada.stats.lower_bound import unbounded


def test_where_all_were_ended_it_is_at_least_what_they_had():
    for ended in ([8.0], [8.0, 9.0, 10.0]):
        assert unbounded([], ended) == Interval(
            median=8.0, low=8.0, high=inf, confidence=1.0
        )


def test_with_those_that_were_not_it_has_the_lower_bound_of_all():
    measured, ended = [1.0, 2.0, 3.0], [8.0, 8.0]
    every = median_interval([*measured, *ended])
    known = unbounded(measured, ended)
    assert (known.median, known.low, known.high) == (3.0, 1.0, inf)
    assert known.confidence == every.confidence
