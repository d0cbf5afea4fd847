"""
The steps of a search for capacity: from the outcomes so far to the next step.

A search has no state except the outcomes, so it can be resumed from a store. Values
increase by a factor until one violates the objective. Then the interval between the
edges is bisected until they are close, and finally the edges are tried again. If the
search confirms its result, the trials that repeat the lower edge are longer. A value
that misses the objective in them is a violation, and the search goes on below it.
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

REPETITIONS = 6
"""Default number of trials of each edge: the fewest that attain 95 % (see
:func:`autostrada.stats.confidence.edges_confidence`)."""


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Step:
    """What a search tries: a value, in a trial of the usual or of the longer kind."""

    value: int
    is_confirmation: bool = False
    """Whether the trial takes ``Search.confirm_s`` instead of the usual duration."""


Outcomes = Mapping[Step, Sequence[bool]]
"""Outcomes by step: for each trial in order, whether it met the objective."""


Count = Annotated[int, Field(gt=0)]


class EdgeSearch(BaseModel):
    """The search for the edge between values that meet an objective and all others."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    first: Count
    last: Count
    """Highest value that is tried."""

    factor: float = Field(default=2.0, ge=1.01)
    """Factor between successive values of the ramp."""

    precision: float = Field(default=0.05, gt=0, lt=1)
    """Distance of the edges at which bisection ends, as a share of the upper edge."""

    repetitions: Count = REPETITIONS
    """Total number of trials at each of the two edges."""

    confirm_s: Annotated[int | float, Field(gt=0, le=86_400)] | None = None
    """Duration of the trials that confirm the edge, in seconds; ``None`` for that of
    all trials."""

    @property
    def is_confirmed(self) -> bool:
        """Whether longer trials confirm the edge."""
        return self.confirm_s is not None


class Search(EdgeSearch):
    """
    The search for a capacity: the highest value that meets the objective.

    It consists of a ramp and a bisection. Each kind of workload has its own objective.
    """

    parameter: Literal["connections"]
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


def next_step(search: EdgeSearch, outcomes: Outcomes) -> Step | SearchResult:
    """Return the step to try next, or the result if the search is complete."""
    now = bracket(outcomes)
    step = _wanted(search, outcomes, now)
    if step is None:
        return SearchResult(bracket=now, is_settled=True)
    if _made(outcomes) >= NOISE_FACTOR * trials_max(search):
        return SearchResult(bracket=now, is_settled=False)
    return step


def bracket(outcomes: Outcomes) -> Bracket:
    """
    Return the values between which the capacity lies.

    A value meets the objective if more than half of its deciding trials do.
    """
    values = {step.value for step in outcomes}
    violated = {value for value in values if not _meets_objective_at(outcomes, value)}
    lowest_violated = min(violated, default=None)
    met = [
        value
        for value in values - violated
        if lowest_violated is None or value < lowest_violated
    ]
    return Bracket(met=max(met, default=None), violated=lowest_violated)


def deciding_step(outcomes: Outcomes, value: int) -> Step:
    """Return the step that decides on a value: its confirmation, if it was tried."""
    confirmation = Step(value=value, is_confirmation=True)
    return confirmation if outcomes.get(confirmation) else Step(value=value)


@cache
def trials_max(search: EdgeSearch) -> int:
    """
    Return the maximum number of trials of a search whose outcomes have no noise.

    Trials of both durations then have the same outcome at each value.
    """
    at_violated = search.repetitions - 1
    at_met = search.repetitions if search.is_confirmed else at_violated
    ramp = list(_ramp(search))
    found = [1 + max(at_met, at_violated)] + [
        steps + _halvings_max(search, met, violated) + at_met + at_violated
        for steps, (met, violated) in enumerate(pairwise(ramp), start=2)
    ]
    return max(*found, len(ramp) + at_met)


def steps_left_max(search: EdgeSearch, outcomes: Outcomes) -> list[Step]:
    """
    Return the remaining steps of a search in the worst case, in order.

    Without noise, no search has more, higher or longer trials left. Before the first
    violation, the ramp is assumed to continue to its end; after it, all remaining
    trials are assumed to be at the lowest violation. Confirmations come last.
    """
    now = bracket(outcomes)
    left = max(1, trials_max(search) - _made(outcomes))
    if now.violated is not None:
        values = [now.violated] * left
    else:
        values = [search.first if now.met is None else _higher(search, now.met)]
        while len(values) < left:
            values.append(_higher(search, values[-1]))
    first_long = left - _confirmations_left_max(search, outcomes, left)
    return [
        Step(value=value, is_confirmation=index >= first_long)
        for index, value in enumerate(values)
    ]


def _made(outcomes: Outcomes) -> int:
    return sum(map(len, outcomes.values()))


def _confirmations_left_max(search: EdgeSearch, outcomes: Outcomes, left: int) -> int:
    """Return how many of the ``left`` trials may be confirmations."""
    edges = bracket(outcomes)
    if not search.is_confirmed or (edges.met is None and edges.violated is not None):
        return 0
    if edges.violated and deciding_step(outcomes, edges.violated).is_confirmation:
        return left
    made = outcomes.get(Step(value=edges.met or 0, is_confirmation=True), ())
    return search.repetitions - len(made)


def _meets_objective_at(outcomes: Outcomes, value: int) -> bool:
    """Return whether more than half of the deciding trials of a value meet it."""
    trials = outcomes[deciding_step(outcomes, value)]
    return 2 * sum(trials) > len(trials)


def _wanted(search: EdgeSearch, outcomes: Outcomes, now: Bracket) -> Step | None:
    """Return the step that is tried next; ``None`` if the search is settled."""
    if not outcomes:
        return Step(value=search.first)
    if now.violated is None and now.met is not None and now.met < search.last:
        return Step(value=_higher(search, now.met))
    if (
        now.met is not None
        and now.violated is not None
        and not _is_close(search, now.met, now.violated)
    ):
        # Once a confirmation has moved the upper edge, shorter trials decide nothing.
        return Step(
            value=now.met + (now.violated - now.met) // 2,
            is_confirmation=deciding_step(outcomes, now.violated).is_confirmation,
        )
    edges = []
    if now.met is not None:
        edges.append(Step(value=now.met, is_confirmation=search.is_confirmed))
    if now.violated is not None:
        edges.append(deciding_step(outcomes, now.violated))
    rarest = min(edges, key=lambda step: len(outcomes.get(step, ())))
    return rarest if len(outcomes.get(rarest, ())) < search.repetitions else None


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
