"""
The steps of a search for capacity: from the outcomes so far to the next value.

A search has no state except the outcomes, so it can be resumed from a store. Values
increase by a factor until one violates the objective. Then the interval between the
edges is bisected until they are close, and finally the edges are tried again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

MEETS_OBJECTIVE = "meets_objective"
"""Figure of a search's trials: 1 if the trial met the objective, else 0."""

NOISE_FACTOR = 2
"""Limit of a search's trials, as a multiple of the maximum without noise."""

Outcomes = Mapping[int, Sequence[bool]]
"""Outcomes by value: for each trial in order, whether it met the objective."""


Count = Annotated[int, Field(gt=0)]


class Search(BaseModel):
    """
    The search for a capacity: the highest value that meets the objective.

    It consists of a ramp and a bisection. Each kind of workload has its own objective.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    parameter: Literal["connections"]
    first: Count
    last: Count
    """Highest value that is tried."""

    factor: float = Field(default=2.0, ge=1.01)
    """Factor between successive values of the ramp."""

    precision: float = Field(default=0.05, gt=0, lt=1)
    """Distance of the edges at which bisection ends, as a share of the upper edge."""

    repetitions: Count = 3
    """Total number of trials at each of the two edges."""

    achieved_share_min: float = Field(default=0.99, gt=0, le=1)
    response_time_ms_max: float | None = Field(default=None, gt=0)
    response_time_quantile: float = Field(default=0.99, gt=0, lt=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Bracket:
    """The values between which the capacity lies."""

    met: int | None
    """Highest value that meets the objective; ``None`` if no value did."""

    violated: int | None
    """Lowest value that violates the objective; ``None`` if no value did."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchResult:
    """The result of a complete search."""

    bracket: Bracket
    is_settled: bool
    """
    Whether the edges are close and have all planned repetitions.

    A search is not settled if it ended at its limit of trials because of noise.
    """


def next_value(search: Search, outcomes: Outcomes) -> int | SearchResult:
    """Return the value to try next, or the result if the search is complete."""
    now = bracket(outcomes)
    value = _wanted(search, outcomes, now)
    if value is None:
        return SearchResult(bracket=now, is_settled=True)
    if sum(map(len, outcomes.values())) >= NOISE_FACTOR * trials_max(search):
        return SearchResult(bracket=now, is_settled=False)
    return value


def bracket(outcomes: Outcomes) -> Bracket:
    """
    Return the values between which the capacity lies.

    A value meets the objective if more than half of its trials do.
    """
    violated = [value for value in outcomes if not meets_objective_at(outcomes, value)]
    lowest_violated = min(violated, default=None)
    met = [
        value
        for value in outcomes
        if value not in violated
        and (lowest_violated is None or value < lowest_violated)
    ]
    return Bracket(met=max(met, default=None), violated=lowest_violated)


def meets_objective_at(outcomes: Outcomes, value: int) -> bool:
    """Return whether more than half of the trials of a value meet the objective."""
    trials = outcomes[value]
    return 2 * sum(trials) > len(trials)


@cache
def trials_max(search: Search) -> int:
    """Return the maximum number of trials of a search whose outcomes have no noise."""
    ramp = list(_ramp(search))
    if len(ramp) == 1:
        return search.repetitions
    found = [
        steps + _halvings_max(search, met, violated)
        for steps, (met, violated) in enumerate(pairwise(ramp), start=2)
    ]
    return max(found) + 2 * (search.repetitions - 1)


def values_left_max(search: Search, outcomes: Outcomes) -> list[int]:
    """
    Return the remaining values of a search in the worst case, in order.

    Without noise, no search has more or higher values left. Before the first violation,
    the ramp is assumed to continue to its end; after it, all remaining trials are
    assumed to be at the lowest violation.
    """
    now = bracket(outcomes)
    left = max(1, trials_max(search) - sum(map(len, outcomes.values())))
    if now.violated is not None:
        return [now.violated] * left
    values = [search.first if now.met is None else _higher(search, now.met)]
    while len(values) < left:
        values.append(_higher(search, values[-1]))
    return values


def _wanted(search: Search, outcomes: Outcomes, now: Bracket) -> int | None:
    """Return the value that is tried next; ``None`` if the search is settled."""
    if not outcomes:
        return search.first
    if now.violated is None and now.met is not None and now.met < search.last:
        return _higher(search, now.met)
    if (
        now.met is not None
        and now.violated is not None
        and not _is_close(search, now.met, now.violated)
    ):
        return now.met + (now.violated - now.met) // 2
    edges = [value for value in (now.met, now.violated) if value is not None]
    rarest = min(edges, key=lambda value: len(outcomes[value]))
    return rarest if len(outcomes[rarest]) < search.repetitions else None


def _is_close(search: Search, met: int, violated: int) -> bool:
    """Return whether two edges are within the search's precision."""
    return violated - met <= max(1, search.precision * violated)


def _halvings_max(search: Search, met: int, violated: int) -> int:
    """Return the maximum number of bisections until two edges are close."""
    halvings = 0
    while not _is_close(search, met, violated):
        # The worst case is the larger half at the lowest position, because closeness
        # is relative to the upper edge.
        violated = met + (violated - met + 1) // 2
        halvings += 1
    return halvings


def _ramp(search: Search) -> Iterator[int]:
    """Yield the values of the ramp if all of them meet the objective."""
    value = search.first
    yield value
    while value < search.last:
        value = _higher(search, value)
        yield value


def _higher(search: Search, value: int) -> int:
    """Return the next value of the ramp, at most ``last``."""
    return min(max(value + 1, round(value * search.factor)), search.last)
