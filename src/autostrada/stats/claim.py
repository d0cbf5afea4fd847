"""Findings for claims about metrics that are known within bounds."""

from collections.abc import Sequence
from enum import StrEnum


class Finding(StrEnum):
    """The result of testing a claim."""

    CONFIRMED = "confirmed"
    CONTRADICTED = "contradicted"
    INCONCLUSIVE = "inconclusive"
    NOT_TESTED = "not tested"


def within(
    low: float, high: float, *, at_least: float | None, at_most: float | None
) -> Finding:
    """
    Return whether an interval lies within limits; ``None`` means no limit.

    The claim is confirmed if the whole interval is within both limits, contradicted if
    the whole interval is beyond one of them, and otherwise inconclusive.
    """
    assert low <= high, (low, high)
    least = float("-inf") if at_least is None else at_least
    most = float("inf") if at_most is None else at_most
    if least <= low and high <= most:
        return Finding.CONFIRMED
    if high < least or most < low:
        return Finding.CONTRADICTED
    return Finding.INCONCLUSIVE


def either(parts: Sequence[Finding]) -> Finding:
    """
    Combine the findings for the alternatives of a claim.

    The claim is confirmed if one of them is, contradicted if all are, not tested if
    none was tested, and otherwise inconclusive.
    """
    opposite = {
        Finding.CONFIRMED: Finding.CONTRADICTED,
        Finding.CONTRADICTED: Finding.CONFIRMED,
    }
    found = together([opposite.get(part, part) for part in parts])
    return opposite.get(found, found)


def together(parts: Sequence[Finding]) -> Finding:
    """
    Combine the findings for all parts of a claim.

    The claim is contradicted if one part is, confirmed if all parts are, not tested if
    no part was tested, and otherwise inconclusive.
    """
    if Finding.CONTRADICTED in parts:
        return Finding.CONTRADICTED
    if all(part is Finding.NOT_TESTED for part in parts):
        return Finding.NOT_TESTED
    if {Finding.INCONCLUSIVE, Finding.NOT_TESTED} & {*parts}:
        return Finding.INCONCLUSIVE
    return Finding.CONFIRMED
