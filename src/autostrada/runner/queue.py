"""The queue of a run's trials: decides without clocks and processes."""

import random
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from math import ceil

from autostrada.stats.precision import half_width
from autostrada.store.record import Attempt, Cell, Measurement, Resumption, Trial

RETRIES_MAX = 2
"""How often a disturbed trial is repeated at most."""

REPEATED_SHARE_MAX = 0.2
"""Largest number of repeated trials of a run, as a share of all its attempts."""

REPETITIONS_FACTOR_MAX = 5
REPETITIONS_MAX = 30
"""A cell whose interval stays wide gets at most this many repetitions: the smaller of
``REPETITIONS_FACTOR_MAX`` times the planned number and ``REPETITIONS_MAX``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Goal:
    """The goal of adaptive repetition: how narrow the intervals of cells must be."""

    half_width_max: float
    """Largest half-width of an interval, as a share of the median."""

    repetitions: int
    """Number of planned repetitions, made in any case."""

    seed: int
    """Seed of the order in each round."""

    @property
    def repetitions_max(self) -> int:
        """Largest number of repetitions of a cell, planned ones included."""
        allowed = min(REPETITIONS_FACTOR_MAX * self.repetitions, REPETITIONS_MAX)
        return max(allowed, self.repetitions)


class TrialQueue:
    """Decides which attempts are left, and which trials and cells are repeated."""

    def __init__(
        self,
        planned: Sequence[Attempt],
        goal: Goal | None = None,
        resumed: Resumption | None = None,
        searched: Set[Attempt] = frozenset(),
    ) -> None:
        """
        Create the queue of a run, or of the rest of a resumed run.

        ``searched`` are the finished attempts of searches of a resumed run. Searches
        choose their values themselves, but their disturbed trials are repeated.
        """
        self._goal = goal
        self._known = [*planned, *sorted(searched, key=_place)]
        self._searched = {attempt.cell for attempt in searched}
        self._done: set[Attempt] = set()
        self._retries: dict[Attempt, int] = {}
        self._disturbed: set[Attempt] = set()
        self._ns_per_message: dict[Attempt, float] = {}
        if resumed is not None:
            cells = {attempt.cell for attempt in self._known}
            done = {each for each in resumed.attempts if each.cell in cells}
            self._known += sorted(done - set(self._known), key=_place)
            self._done = done
            self._retries = dict(resumed.retries)
            self._disturbed = done & resumed.disturbed
            self._ns_per_message = dict(resumed.ns_per_message)

    @property
    def done(self) -> Set[Attempt]:
        """The attempts that have an outcome."""
        return self._done

    @property
    def repeated(self) -> int:
        """Number of trials that repeated a disturbed one."""
        return sum(self._retries.values())

    @property
    def disturbed(self) -> int:
        """Number of attempts whose trials were all disturbed."""
        return len(self._disturbed)

    def todo(self) -> list[Attempt]:
        """Return the remaining attempts in order, with pending retries."""
        budget = self._budget()
        left = []
        for attempt in self._known:
            if attempt not in self._done:
                left.append(attempt)
            elif budget > 0 and self._may_repeat(attempt):
                left.append(attempt)
                budget -= 1
        return left

    def search(self, attempts: Sequence[Attempt]) -> None:
        """Add the attempts of the next round of the searches."""
        self._known += attempts
        self._searched |= {attempt.cell for attempt in attempts}

    def retry_of(self, attempt: Attempt) -> int:
        """Return the number of the next trial of an attempt: 0 for the first."""
        if attempt not in self._done:
            return 0
        return self._retries.get(attempt, 0) + 1

    def note(self, attempt: Attempt, trial: Trial) -> bool:
        """Record a trial; return whether it must be repeated at once."""
        self._done.add(attempt)
        self._retries[attempt] = trial.retry
        if isinstance(trial.outcome, Measurement):
            outcome = trial.outcome
            self._ns_per_message[attempt] = outcome.duration_ns / outcome.messages
        else:
            self._ns_per_message.pop(attempt, None)
        if not trial.other_load.disturbance:
            self._disturbed.discard(attempt)
            return False
        self._disturbed.add(attempt)
        return self._budget() > 0 and self._may_repeat(attempt)

    def more(self) -> list[Attempt]:
        """
        Return another round: a repetition of each cell whose interval is too wide.

        Returns an empty list without a goal, or if no interval is too wide. Cells
        without any measurement and values of searches are never repeated. An
        interrupted round is completed first.
        """
        if self._goal is None:
            return []
        made = Counter(
            each.cell
            for each in self._known
            if not each.is_warm_up and each.cell not in self._searched
        )
        wide = [cell for cell in sorted(made) if self._is_wide(cell, made[cell])]
        if not wide:
            return []
        repetition = min(made[cell] for cell in wide)
        cells = [cell for cell in wide if made[cell] == repetition]
        shuffle = random.Random(f"{self._goal.seed} {repetition}")
        round_of_cells = [
            Attempt(cell=cell, repetition=repetition, is_warm_up=False)
            for cell in shuffle.sample(cells, k=len(cells))
        ]
        self._known += round_of_cells
        return round_of_cells

    def _is_wide(self, cell: Cell, made: int) -> bool:
        assert self._goal is not None
        samples = [
            figure
            for attempt, figure in self._ns_per_message.items()
            if attempt.cell == cell and not attempt.is_warm_up
        ]
        if not samples or made >= self._goal.repetitions_max:
            return False
        width = half_width(samples)
        return width is None or width > self._goal.half_width_max

    def _may_repeat(self, attempt: Attempt) -> bool:
        return (
            attempt in self._disturbed
            and not attempt.is_warm_up
            and self._retries.get(attempt, 0) < RETRIES_MAX
        )

    def _budget(self) -> int:
        return ceil(REPEATED_SHARE_MAX * len(self._known)) - self.repeated


def _place(attempt: Attempt) -> tuple[int, Cell]:
    return attempt.repetition, attempt.cell
