"""Whether a claim holds of a figure of which only bounds are known."""

from collections.abc import Sequence
from enum import StrEnum


class Holding(StrEnum):
    """What is known of a claim."""

    HOLDS = "holds"
    FAILS = "does not hold"
    UNTOLD = "cannot be told"


def within(
    low: float, high: float, *, at_least: float | None, at_most: float | None
) -> Holding:
    """
    Say whether a figure that lies between two bounds lies within two others.

    It does where the whole interval lies within them, and does not where the whole
    interval lies beyond one. An interval that straddles a bound tells nothing.
    """
    assert low <= high, (low, high)
    least = float("-inf") if at_least is None else at_least
    most = float("inf") if at_most is None else at_most
    if least <= low and high <= most:
        return Holding.HOLDS
    if high < least or most < low:
        return Holding.FAILS
    return Holding.UNTOLD


def together(parts: Sequence[Holding]) -> Holding:
    """Say whether all parts of a claim hold; one that does not is enough for no."""
    if Holding.FAILS in parts:
        return Holding.FAILS
    if not parts or Holding.UNTOLD in parts:
        return Holding.UNTOLD
    return Holding.HOLDS
