"""
A search, step by step: from what has been tried to what is tried next.

It has no memory: the outcomes say where it is, so it goes on from a store as from
where it was. Values are tried upwards by a factor until one misses the objective, then
halfway between the edges until they are close, and then the edges again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

MEETS_OBJECTIVE = "meets_objective"
"""The figure of a search's trials: 1 where all was well, 0 where not."""

NOISE_FACTOR = 2
"""So many times the trials of a search without noise, it gives up on closer edges."""

Outcomes = Mapping[int, Sequence[bool]]
"""By value: whether the objective was met, for each trial in order."""


Count = Annotated[int, Field(gt=0)]


class Search(BaseModel):
    """
    The capacity: the most of a parameter at which the objective is met.

    It is found by ramp and bisection; each kind of workload has its objective.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    parameter: Literal["connections"]
    first: Count
    last: Count
    """Beyond it nothing is tried."""

    factor: float = Field(default=2.0, ge=1.01)
    """Of the ramp: each step is so many times the one before."""

    precision: float = Field(default=0.05, gt=0, lt=1)
    """Bisection ends where the edges are so close, as a share of the upper one."""

    repetitions: Count = 3
    """How often the two edges are tried in all."""

    achieved_share_min: float = Field(default=0.99, gt=0, le=1)
    response_time_ms_max: float | None = Field(default=None, gt=0)
    response_time_quantile: float = Field(default=0.99, gt=0, lt=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Bracket:
    """Between which values the capacity lies."""

    met: int | None
    """The highest value that meets the objective; ``None``: not even the first."""

    violated: int | None
    """The lowest value above at which it was not; ``None``: it never failed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """What a search has found."""

    bracket: Bracket
    is_settled: bool
    """Whether both edges are close, and were tried as often as planned."""


def next_value(search: Search, outcomes: Outcomes) -> int | Found:
    """Return the value that is tried next, or what was found."""
    now = bracket(outcomes)
    value = _wanted(search, outcomes, now)
    if value is None:
        return Found(bracket=now, is_settled=True)
    if sum(map(len, outcomes.values())) >= NOISE_FACTOR * trials_max(search):
        return Found(bracket=now, is_settled=False)
    return value


def bracket(outcomes: Outcomes) -> Bracket:
    """
    Return between which values the capacity lies, by what most trials of each say.

    Where as many say the one as the other, a value does not meet it.
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
    """Return whether most of the trials of a value meet the objective."""
    trials = outcomes[value]
    return 2 * sum(trials) > len(trials)


@cache
def trials_max(search: Search) -> int:
    """Return how many trials a search takes at most, where no outcome is by chance."""
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
    Return the values that a search tries yet if it tries most, in their order.

    So many and so high where no outcome is by chance: it goes up to the end, or comes
    no lower than where it was not met, and all its other trials are there.
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
    """Return which value would tell more, or ``None`` where enough is known."""
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
    """Return whether nothing between two edges is worth a trial."""
    return violated - met <= max(1, search.precision * violated)


def _halvings_max(search: Search, met: int, violated: int) -> int:
    """Return how often at most halfway is tried until two edges are close."""
    halvings = 0
    while not _is_close(search, met, violated):
        # The greater half, as low as it can be: there the edges have to be closest.
        violated = met + (violated - met + 1) // 2
        halvings += 1
    return halvings


def _ramp(search: Search) -> Iterator[int]:
    """Yield what is tried on the way up where the objective is met."""
    value = search.first
    yield value
    while value < search.last:
        value = _higher(search, value)
        yield value


def _higher(search: Search, value: int) -> int:
    """Return the next step of the ramp, which ends at the last value."""
    return min(max(value + 1, round(value * search.factor)), search.last)
