"""The offset of a host's clock, from exchanges with it, and results by that clock."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Exchange = tuple[int, int, int]
"""When a host was asked, what its clock showed, and when the answer was there."""


OTHER_CLOCK = "a contestant's delivery times are by its host's own clock"
IMPRECISE_CLOCK = "half of the delivery times are below the error of the hosts' clocks"


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


def engine_by_own_clock(
    result: Mapping[str, Any], clock: ClockOffset
) -> tuple[dict[str, Any], str]:
    """
    Return a result of an engine, whose instants are by this machine's clock.

    Delivery times to it are left out if half of them are below the error of the clock;
    then the second value says so, and is empty otherwise.
    """
    # What an engine publishes it receives itself.
    times = [] if result["published"] else result["delivery_time_ns"] or []
    below = sum(count for low, count in times if low < clock.error_ns)
    if times and 2 * below > sum(count for _, count in times):
        return {**result, "delivery_time_ns": None}, IMPRECISE_CLOCK
    return {**result}, ""


def contestant_by_own_clock(
    result: Mapping[str, Any], clock: ClockOffset
) -> tuple[dict[str, Any], str]:
    """
    Return a result of a contestant with its instants by this machine's clock.

    Its delivery times are by two clocks and are left out; then the second value says
    so, and is empty otherwise.
    """
    instants = {
        key: result[key] - clock.offset_ns
        for key in ("opened_ns", "received_ns")
        if isinstance(result.get(key), int)
    }
    reason = OTHER_CLOCK if result.get("latency_ns") else ""
    return {**result, **instants, "latency_ns": None}, reason
