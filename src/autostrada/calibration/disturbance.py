"""Decides whether noise of the machine disturbed the measurements of a fault case."""

from collections.abc import Iterable, Iterator

from autostrada.calibration.expectation import (
    CaseRun,
    drift_ns,
    tolerance_ns,
)
from autostrada.calibration.fault_cases import FaultCase, Kind
from autostrada.calibration.parser import Reading
from autostrada.machine.noise import OTHERS_SHARE_MAX, STEAL_SHARE_MAX, Noise

LATE_SHARE_MAX = 0.01
MS = 1_000_000
LATE_NS_MAX = 5 * MS
"""Largest send delay, half of the shortest time that counts as slow, so that the delay
alone does not make a message slow."""

WAITED_SHARE_MAX = 0.05
WAITED_NS_MAX = 5 * MS
WAKE_NS_MAX = 5_000
"""Time to wake a process for a message, also on an idle core."""

CLOSED_NS_MAX = 40 * MS
"""Largest wait in a closed loop: less than half a stall, so that all waits together do
not make a message slow."""

PRESSURE_NS_MAX = 10 * MS
"""Largest wait for cores of all processes while a feed is received, because the client
of a feed does not report its own lateness."""

_EXTREME = frozenset({Kind.HEALTHY, Kind.STALL, Kind.PAUSE, Kind.BURST})
"""Kinds whose metrics depend on single messages, not on the median of many."""


def disturbance(
    case: FaultCase, case_run: CaseRun, noises: Iterable[Noise]
) -> str | None:
    """
    Return why the metrics of a case are not reliable, or ``None`` if they are.

    Noise does not affect kinds that only count messages; only unsent messages do.
    """
    return next(_disturbances(case, case_run, noises), None)


def _disturbances(
    case: FaultCase, case_run: CaseRun, noises: Iterable[Noise]
) -> Iterator[str]:
    measured = (case_run.reading, *case_run.controls)
    for reading in measured:
        unsent = reading.unsent + reading.overdue
        if unsent and case.kind not in {Kind.CLOSE, Kind.ABORT}:
            yield f"{unsent} messages were not sent"
    if not case.is_timed:
        return
    for noise in noises:
        yield from _noisy(case, noise)
    for reading in measured:
        yield from _late(case, reading)
    if case.kind is Kind.DELAY:
        delay_ms = case.faults["delay_ms"]
        assert isinstance(delay_ms, int | float)
        if drift_ns(case_run) > tolerance_ns(delay_ms * MS) / 2:
            yield f"the controls differ by {drift_ns(case_run) / 1000:.0f} µs"


def _noisy(case: FaultCase, noise: Noise) -> Iterator[str]:
    if noise.others_share > OTHERS_SHARE_MAX:
        yield f"others used {noise.others_share:.0%} of the cores"
    if noise.steal_share > STEAL_SHARE_MAX:
        yield f"{noise.steal_share:.0%} of the time was stolen"
    if noise.waited_ns > _waited_ns_max(case):
        yield f"the server waited {noise.waited_ns / MS:.1f} ms for a core"
    if case.feed is not None and noise.pressure_ns > PRESSURE_NS_MAX:
        yield f"processes waited {noise.pressure_ns / MS:.1f} ms for a core"


def _waited_ns_max(case: FaultCase) -> float:
    if case.kind in _EXTREME:
        return WAITED_NS_MAX + WAKE_NS_MAX * case.messages
    if case.kind is Kind.STALL_CLOSED:
        return CLOSED_NS_MAX
    return WAITED_SHARE_MAX * case.window_s * 1e9


def _late(case: FaultCase, reading: Reading) -> Iterator[str]:
    """Yield a disturbance if the client sent late, which hides the server's delays."""
    send_delay_ns = reading.send_delay_ns
    late = send_delay_ns.count_from(MS)
    if case.kind not in _EXTREME:
        if late > LATE_SHARE_MAX * send_delay_ns.count:
            yield f"{late} messages were sent 1 ms late"
    elif send_delay_ns.longest_ns > reading.paused_ns + LATE_NS_MAX:
        yield f"the client was {send_delay_ns.longest_ns / MS:.1f} ms late"
