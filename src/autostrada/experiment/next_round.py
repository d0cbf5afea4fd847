"""A round of trials that may decide a claim."""

from dataclasses import dataclass

from autostrada.store.record import Cell


@dataclass(frozen=True, kw_only=True, slots=True)
class NextRound:
    """The cells of undecided comparisons, which are measured together."""

    cells: tuple[Cell, ...]
    rounds: int
    """Number of rounds until the test looks at them again."""

    trials: int
    """Number of trials that the comparisons know so far."""

    chance: float
    """Probability that this look decides the claim, between 0 and 1."""
