"""The queue of a run's trials: it knows no clock and starts no process."""

import random
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from math import ceil

from autostrada.stats.precision import half_width
from autostrada.store.record import Attempt, Cell, Measurement, Resumption, Trial

RETRIES_MAX = 2
"""How often one trial that was disturbed is repeated."""

REPEATED_SHARE_MAX = 0.2
"""Of a run's trials: so many are repeated at most, on a machine that is never quiet."""

REPETITIONS_FACTOR_MAX = 5
REPETITIONS_MAX = 30
"""Of a cell whose interval stays wide: five times as many as planned, or these."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Goal:
    """Up to which width of their intervals cells are repeated."""

    half_width_max: float
    """As a share of the median: ``stats.precision``."""

    repetitions: int
    """As many as are planned in any case."""

    seed: int
    """Draws the order in each round."""

    @property
    def repetitions_max(self) -> int:
        """After how many repetitions a cell is left as it is."""
        allowed = min(REPETITIONS_FACTOR_MAX * self.repetitions, REPETITIONS_MAX)
        return max(allowed, self.repetitions)


class TrialQueue:
    """Which attempts are left, which trials are repeated, which cells need more."""

    def __init__(
        self,
        planned: Sequence[Attempt],
        goal: Goal | None = None,
        resumed: Resumption | None = None,
        searched: Set[Attempt] = frozenset(),
    ) -> None:
        """
        Begin a run, or go on with one.

        ``searched`` are trials of searches that were made earlier: what these try is
        decided elsewhere, but they are repeated where they were disturbed.
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
        """Those attempts that have an outcome."""
        return self._done

    @property
    def repeated(self) -> int:
        """How many trials are repetitions of disturbed ones."""
        return sum(self._retries.values())

    @property
    def disturbed(self) -> int:
        """How many attempts have no trial that was not disturbed."""
        return len(self._disturbed)

    def todo(self) -> list[Attempt]:
        """Return what is left, in order: also what was interrupted before its retry."""
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
        """Take note of what searches try next."""
        self._known += attempts
        self._searched |= {attempt.cell for attempt in attempts}

    def retry_of(self, attempt: Attempt) -> int:
        """Return which trial of an attempt is next: 0 for the first."""
        if attempt not in self._done:
            return 0
        return self._retries.get(attempt, 0) + 1

    def note(self, attempt: Attempt, trial: Trial) -> bool:
        """Take note of a trial; return whether it is to be repeated at once."""
        self._done.add(attempt)
        self._retries[attempt] = trial.retry
        if isinstance(trial.outcome, Measurement):
            outcome = trial.outcome
            self._ns_per_message[attempt] = outcome.duration_ns / outcome.messages
        else:
            self._ns_per_message.pop(attempt, None)
        if not trial.quiet.disturbance:
            self._disturbed.discard(attempt)
            return False
        self._disturbed.add(attempt)
        return self._budget() > 0 and self._may_repeat(attempt)

    def more(self) -> list[Attempt]:
        """
        Return one more round: a repetition of each cell whose interval is too wide.

        A cell that was never measured gets none, nor does a value of a search. A round
        that was interrupted is completed first.
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
