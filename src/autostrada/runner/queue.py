"""The queue of a run's trials: decides without clocks and processes."""

from collections.abc import Sequence, Set
from math import ceil

from autostrada.store.record import Attempt, Resumption, Trial

RETRIES_MAX = 2
"""How often a disturbed trial is repeated at most."""

REPEATED_SHARE_MAX = 0.2
"""Largest number of repeated trials of a run, as a share of all its attempts."""


class TrialQueue:
    """Decides which attempts are left, and which disturbed trials are repeated."""

    def __init__(
        self,
        planned: Sequence[Attempt],
        resumed: Resumption | None = None,
        *,
        is_budgeted: bool = False,
    ) -> None:
        """
        Create the queue of a run, or of the rest of a resumed run.

        With a budget nothing is planned, and no trial is repeated: the time is
        better spent on a further round.
        """
        self._is_budgeted = is_budgeted
        self._planned = frozenset(planned)
        self._known = [*planned]
        self._done: set[Attempt] = set()
        self._retries: dict[Attempt, int] = {}
        self._disturbed: set[Attempt] = set()
        if resumed is not None:
            cells = {attempt.cell for attempt in planned}
            done = {
                attempt
                for attempt in resumed.attempts
                if is_budgeted or attempt.cell in cells
            }
            self._known += sorted(
                done - set(self._known), key=lambda each: (each.repetition, each.cell)
            )
            self._done = done
            self._retries = dict(resumed.retries)
            self._disturbed = done & resumed.disturbed

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
        repeats_left = self._repeats_left()
        left = []
        for attempt in self._known:
            if attempt not in self._done:
                left.append(attempt)
            elif repeats_left > 0 and self._may_repeat(attempt):
                left.append(attempt)
                repeats_left -= 1
        return left

    def extend(self, attempts: Sequence[Attempt]) -> None:
        """Add the attempts of a further round."""
        self._known += attempts

    def retry_of(self, attempt: Attempt) -> int:
        """Return the number of the next trial of an attempt: 0 for the first."""
        if attempt not in self._done:
            return 0
        return self._retries.get(attempt, 0) + 1

    def note(self, attempt: Attempt, trial: Trial) -> bool:
        """Record a trial; return whether it must be repeated at once."""
        self._done.add(attempt)
        self._retries[attempt] = trial.retry
        if not trial.other_load.disturbance:
            self._disturbed.discard(attempt)
            return False
        self._disturbed.add(attempt)
        return self._repeats_left() > 0 and self._may_repeat(attempt)

    def _may_repeat(self, attempt: Attempt) -> bool:
        return (
            not self._is_budgeted
            and attempt in self._planned
            and attempt in self._disturbed
            and self._retries.get(attempt, 0) < RETRIES_MAX
        )

    def _repeats_left(self) -> int:
        return ceil(REPEATED_SHARE_MAX * len(self._known)) - self.repeated
