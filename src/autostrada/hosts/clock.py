"""The offset of a host's clock, from exchanges with it."""

from collections.abc import Iterable
from dataclasses import dataclass

Exchange = tuple[int, int, int]
"""When a host was asked, what its clock showed, and when the answer was there."""


@dataclass(frozen=True, slots=True)
class ClockOffset:
    """How far a host's clock is ahead of this machine's, in nanoseconds."""

    offset_ns: int
    error_ns: int
    """The offset is exact to this, whichever way took longer."""


def clock_offset(exchanges: Iterable[Exchange]) -> ClockOffset:
    """
    Return the offset that the shortest of some exchanges shows.

    Its error is half the round trip (F. Cristian, Probabilistic clock synchronization,
    1989).
    """
    asked, shown, answered = min(exchanges, key=lambda each: each[2] - each[0])
    middle = (asked + answered) // 2
    return ClockOffset(shown - middle, -(-(answered - asked) // 2))
