"""How long what is left takes: by its plan, and by what its like has taken so far."""

from collections.abc import Callable, Mapping, Sequence
from statistics import mean

from autostrada.store.record import Attempt, Cell

OVERHEAD_S = 1.5
"""What a trial takes beside what is planned, before any has been made."""


def no_plan(cell: Cell) -> float:
    """Return what is known of a trial whose length the contestant decides."""
    del cell
    return 0.0


def no_searches() -> Mapping[Cell, Sequence[Cell]]:
    """Return what is left of searches where there are none."""
    return {}


class Forecast:
    """The trials that are left, and how long they will take."""

    def __init__(
        self,
        todo: Sequence[Attempt],
        *,
        planned_s: Callable[[Cell], float] = no_plan,
        searches: Callable[[], Mapping[Cell, Sequence[Cell]]] = no_searches,
    ) -> None:
        """
        Begin to count.

        ``planned_s`` says how long a trial of a cell is by its plan, 0 where it has
        none; ``searches`` the cells of each search's trials from now on at most.
        """
        self.finished = 0
        """How many attempts are over."""

        self._left = list(todo)
        self._round: list[Attempt] = []
        self._planned_s = planned_s
        self._searches = searches
        self._taken_s: dict[Cell, list[float]] = {}

    @property
    def total(self) -> int:
        """How many attempts there are, as far as that is known."""
        return self.finished + len(self._left) + len(self._round)

    @property
    def searches(self) -> int:
        """How many searches are not over."""
        return len(self._searches())

    def extend(self, todo: Sequence[Attempt]) -> None:
        """Take note of more attempts than were planned."""
        self._left += todo

    def search(self, attempts: Sequence[Attempt]) -> None:
        """Take note of what searches try next."""
        self._round += attempts

    def finish(self, attempt: Attempt, taken_s: float, *, is_repeated: bool) -> None:
        """Take note of a trial that is over, and its attempt unless it is repeated."""
        if not is_repeated:
            (self._left if attempt in self._left else self._round).remove(attempt)
            self.finished += 1
        self._taken_s.setdefault(attempt.cell, []).append(taken_s)

    def left_s(self) -> float | None:
        """
        Return the seconds that are left, or ``None`` where nothing tells them.

        Of searches that is the most that they take, but for outcomes by chance.
        """
        expected = [self._expected_s(attempt.cell) for attempt in self._left]
        for cells in self._searches().values():
            expected += [self._expected_s(cell) for cell in cells]
        known = [each for each in expected if each is not None]
        return sum(known) if len(known) == len(expected) else None

    def _expected_s(self, cell: Cell) -> float | None:
        """
        Return how long a trial will take, if anything tells that.

        One that has no plan and has not run yet is taken to be like those that have.
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
        """Return what trials have taken beside what was planned."""
        beside = [
            mean(taken) - planned_s
            for cell, taken in self._taken_s.items()
            if (planned_s := self._planned_s(cell))
        ]
        return max(0.0, mean(beside)) if beside else OVERHEAD_S
