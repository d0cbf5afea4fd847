"""Whether a claim is confirmed by a figure of which only bounds are known."""

from collections.abc import Sequence
from enum import StrEnum


class Finding(StrEnum):
    """What is known of a claim."""

    CONFIRMED = "confirmed"
    CONTRADICTED = "contradicted"
    INCONCLUSIVE = "inconclusive"
    NOT_TESTED = "not tested"


def within(
    low: float, high: float, *, at_least: float | None, at_most: float | None
) -> Finding:
    """
    Say whether a figure that lies between two bounds lies within two others.

    It does where the whole interval lies within them, and does not where the whole
    interval lies beyond one. An interval that includes a bound is inconclusive.
    """
    assert low <= high, (low, high)
    least = float("-inf") if at_least is None else at_least
    most = float("inf") if at_most is None else at_most
    if least <= low and high <= most:
        return Finding.CONFIRMED
    if high < least or most < low:
        return Finding.CONTRADICTED
    return Finding.INCONCLUSIVE


def together(parts: Sequence[Finding]) -> Finding:
    """Say whether all parts of a claim are confirmed; one contradiction is enough."""
    if Finding.CONTRADICTED in parts:
        return Finding.CONTRADICTED
    if all(part is Finding.NOT_TESTED for part in parts):
        return Finding.NOT_TESTED
    if {Finding.INCONCLUSIVE, Finding.NOT_TESTED} & {*parts}:
        return Finding.INCONCLUSIVE
    return Finding.CONFIRMED
