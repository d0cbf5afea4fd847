"""Findings for claims about metrics that are known within bounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import inf


class Finding(StrEnum):
    """The result of testing a claim."""

    CONFIRMED = "confirmed"
    CONTRADICTED = "contradicted"
    INCONCLUSIVE = "inconclusive"
    NOT_TESTED = "not tested"


@dataclass(frozen=True, kw_only=True, slots=True)
class ClaimLimits:
    """What a claim says of a value; an absent limit is infinite."""

    least: float = -inf
    most: float = inf


def within(low: float, high: float, limits: ClaimLimits) -> Finding:
    """
    Return whether an interval lies within limits.

    The claim is confirmed if the whole interval is within both limits, contradicted if
    the whole interval is beyond one of them, and otherwise inconclusive.
    """
    assert low <= high, (low, high)
    if limits.least <= low and high <= limits.most:
        return Finding.CONFIRMED
    if high < limits.least or limits.most < low:
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
