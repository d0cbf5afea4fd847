"""Estimates the remaining time of a run from its plan and from finished trials."""

import time
from collections.abc import Callable, Sequence
from math import inf
from statistics import mean

from autostrada.store.record import Attempt, Cell

OVERHEAD_S = 1.5
"""Assumed duration of a trial beyond its plan until the first trial has finished."""

UNKNOWN_S = 2.0
"""Assumed duration of a trial that the contestant determines, before any other."""


class Forecast:
    """The remaining trials of a run and their expected duration."""

    def __init__(
        self,
        todo: Sequence[Attempt],
        *,
        planned_s: Callable[[Cell], float] = lambda _: 0.0,
        budget_s: float | None = None,
    ) -> None:
        """
        Create the forecast of a run that has the attempts ``todo`` left.

        ``planned_s`` returns the planned duration of a trial of a cell in seconds, or
        0 if the contestant determines it. ``budget_s`` is the time for all trials from
        now on; ``None`` if the run ends when none is left.
        """
        self.finished = 0
        """Number of finished attempts."""

        self._left = list(todo)
        self._planned_s = planned_s
        self._budget_s = budget_s
        self._begin_s = time.monotonic()
        self._taken_s: dict[Cell, list[float]] = {}

    @property
    def total(self) -> int:
        """Number of attempts known so far, finished ones included."""
        return self.finished + len(self._left)

    @property
    def is_budgeted(self) -> bool:
        """Whether the run ends with its budget, not after a number of attempts."""
        return self._budget_s is not None

    @property
    def budget_left_s(self) -> float:
        """Seconds that are left of the budget; infinite without one."""
        if self._budget_s is None:
            return inf
        return self._begin_s + self._budget_s - time.monotonic()

    @property
    def progress(self) -> tuple[float, float]:
        """What is done and the whole: seconds of the budget, or attempts."""
        if self._budget_s is not None:
            return self._budget_s - self.budget_left_s, self._budget_s
        return self.finished, self.total

    def extend(self, todo: Sequence[Attempt]) -> None:
        """Add attempts beyond the planned ones."""
        self._left += todo

    def finish(self, attempt: Attempt, taken_s: float, *, is_repeated: bool) -> None:
        """Record the duration of a trial; its attempt is finished unless repeated."""
        if not is_repeated:
            self._left.remove(attempt)
            self.finished += 1
        self._taken_s.setdefault(attempt.cell, []).append(taken_s)

    def expected_s(self, cell: Cell) -> float:
        """Return the expected duration of a trial in seconds, at the longest so far."""
        if cell in self._taken_s:
            return max(self._taken_s[cell])
        expected_s = self._expected_s(cell)
        return UNKNOWN_S if expected_s is None else expected_s

    def left_s(self) -> float | None:
        """
        Return the remaining time in seconds, or ``None`` if it cannot be estimated.

        With a budget, it is what is left of that.
        """
        if self.is_budgeted:
            return max(0.0, self.budget_left_s)
        expected = [self._expected_s(attempt.cell) for attempt in self._left]
        known = [duration_s for duration_s in expected if duration_s is not None]
        return sum(known) if len(known) == len(expected) else None

    def _expected_s(self, cell: Cell) -> float | None:
        """
        Return the expected duration of a trial, or ``None`` if it cannot be estimated.

        A trial without a planned duration whose cell has not run yet is assumed to
        take the mean of the other cells without a planned duration.
        """
        if cell in self._taken_s:
            return mean(self._taken_s[cell])
        planned_s = self._planned_s(cell)
        if planned_s:
            return planned_s + self._overhead_s()
        like = [
            mean(taken)
            for cell, taken in self._taken_s.items()
            if not self._planned_s(cell)
        ]
        return mean(like) if like else None

    def _overhead_s(self) -> float:
        """Return the mean duration of trials beyond their plan, in seconds."""
        excess_s = [
            mean(taken) - planned_s
            for cell, taken in self._taken_s.items()
            if (planned_s := self._planned_s(cell))
        ]
        return max(0.0, mean(excess_s)) if excess_s else OVERHEAD_S
