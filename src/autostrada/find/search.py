"""
The steps of a search for capacity: from the outcomes so far to the next value.

A search has no state except the outcomes. Values increase by a factor until one
violates the objective. Then the interval between the edges is bisected until they are
close, and finally the edges are tried again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import comb

NOISE_FACTOR = 2
"""Limit of a search's trials, as a multiple of the maximum without noise."""

Outcomes = Mapping[int, Sequence[bool]]
"""Outcomes by value: for each trial in order, whether it met the objective."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EdgeSearch:
    """The search for the edge between values that meet an objective and all others."""

    first: int
    last: int
    """Highest value that is tried."""

    factor: float
    """Factor between successive values of the ramp, above 1."""

    precision: float
    """Distance of the edges at which bisection ends, as a share of the upper edge."""

    repetitions: int
    """Total number of trials at each of the two edges."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bracket:
    """The values between which the capacity lies."""

    met: int | None
    """Highest value that meets the objective; ``None`` if no value did."""

    violated: int | None
    """Lowest value that violates the objective; ``None`` if no value did."""


def next_value(search: EdgeSearch, outcomes: Outcomes) -> int | None:
    """
    Return the value to try next; ``None`` if the search is over.

    It is over if the edges are close and have all repetitions, or because of noise at
    its limit of trials.
    """
    if not outcomes:
        return search.first
    if sum(map(len, outcomes.values())) >= NOISE_FACTOR * trials_max(search):
        return None
    now = bracket(outcomes)
    if now.violated is None and now.met is not None and now.met < search.last:
        return _higher(search, now.met)
    if (
        now.met is not None
        and now.violated is not None
        and not _is_close(search, now.met, now.violated)
    ):
        return now.met + (now.violated - now.met) // 2
    edges = [edge for edge in (now.met, now.violated) if edge is not None]
    rarest = min(edges, key=lambda edge: len(outcomes[edge]))
    return rarest if len(outcomes[rarest]) < search.repetitions else None


def bracket(outcomes: Outcomes) -> Bracket:
    """
    Return the values between which the capacity lies.

    A value meets the objective if more than half of its trials do.
    """
    violated = {
        value for value, trials in outcomes.items() if 2 * sum(trials) <= len(trials)
    }
    lowest_violated = min(violated, default=None)
    met = [
        value
        for value in outcomes.keys() - violated
        if lowest_violated is None or value < lowest_violated
    ]
    return Bracket(met=max(met, default=None), violated=lowest_violated)


def edges_confidence(met: Sequence[bool], violated: Sequence[bool]) -> float:
    """
    Return a lower bound of the confidence that the capacity lies between two edges.

    ``met`` and ``violated`` are the trials at each edge: whether the objective was met.
    If the capacity were beyond an edge, each of its trials would show that with a
    probability of at least one half. The probability that an edge is wrong is therefore
    at most that of as many equal tosses of a coin. The probability that either edge is
    wrong is at most the sum. Six trials that agree at each edge attain 96.9 %.
    """
    missed = _by_chance(sum(met), len(met))
    missed += _by_chance(len(violated) - sum(violated), len(violated))
    return max(0.0, 1 - missed)


@cache
def trials_max(search: EdgeSearch) -> int:
    """Return the maximum number of trials of a search whose outcomes have no noise."""
    again = search.repetitions - 1
    ramp = list(_ramp(search))
    found = [
        tried + _halvings_max(search, met, violated) + 2 * again
        for tried, (met, violated) in enumerate(pairwise(ramp), start=2)
    ]
    return max([len(ramp) + again, *found])


def _is_close(search: EdgeSearch, met: int, violated: int) -> bool:
    """Return whether two edges are within the search's precision."""
    return violated - met <= max(1, search.precision * violated)


def _halvings_max(search: EdgeSearch, met: int, violated: int) -> int:
    """Return the maximum number of bisections until two edges are close."""
    halvings = 0
    while not _is_close(search, met, violated):
        # The worst case is the larger half at the lowest position, because closeness
        # is relative to the upper edge.
        violated = met + (violated - met + 1) // 2
        halvings += 1
    return halvings


def _ramp(search: EdgeSearch) -> Iterator[int]:
    """Yield the values of the ramp if all of them meet the objective."""
    value = search.first
    yield value
    while value < search.last:
        value = _higher(search, value)
        yield value


def _higher(search: EdgeSearch, value: int) -> int:
    """Return the next value of the ramp, at most ``last``."""
    return min(max(value + 1, round(value * search.factor)), search.last)


def _by_chance(agreeing: int, tosses: int) -> float:
    """Return the probability of at least ``agreeing`` heads in tosses of a coin."""
    ways = sum(comb(tosses, heads) for heads in range(agreeing, tosses + 1))
    return ways * 0.5**tosses
