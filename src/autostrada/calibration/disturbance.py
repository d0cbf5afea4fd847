"""Whether noise of the machine disturbed the measurements of a fault case."""

from collections.abc import Iterable, Iterator

from autostrada.calibration.fault_cases import FaultCase, Kind
from autostrada.calibration.judgement import (
    CaseRun,
    Evidence,
    drift_ns,
    tolerance_ns,
)
from autostrada.machine.noise import OTHERS_SHARE_MAX, STEAL_SHARE_MAX, Noise

LATE_SHARE_MAX = 0.01
MS = 1_000_000
LATE_NS_MAX = 5 * MS
"""Half of what makes a message slow: none that was not is counted among the slow."""

WAITED_SHARE_MAX = 0.05
WAITED_NS_MAX = 5 * MS
WAKE_NS_MAX = 5_000
"""It takes a moment to be woken for a message, also on an idle core."""

CLOSED_NS_MAX = 40 * MS
"""Less than half a stall: such waits together make no message slow that was not."""

PRESSURE_NS_MAX = 10 * MS
"""While a feed is received, which tells nothing of the client's own lateness."""

_EXTREME = frozenset({Kind.HEALTHY, Kind.STALL, Kind.PAUSE, Kind.BURST})
"""Kinds of which one message counts, not the median of many."""


def disturbance(
    case: FaultCase, case_run: CaseRun, noises: Iterable[Noise]
) -> str | None:
    """
    Return why the figures of a case cannot be trusted, or ``None``.

    What is counted is not excused by noise, only by messages that were not sent.
    """
    return next(_disturbances(case, case_run, noises), None)


def _disturbances(
    case: FaultCase, case_run: CaseRun, noises: Iterable[Noise]
) -> Iterator[str]:
    measured = (case_run.evidence, *case_run.controls)
    for reading in (each.reading for each in measured):
        if reading.has_left_out and case.kind not in {Kind.CLOSE, Kind.ABORT}:
            yield f"{reading.unsent + reading.overdue} messages were not sent"
    if not case.is_timed:
        return
    for noise in noises:
        yield from _noisy(case, noise)
    for evidence in measured:
        yield from _late(case, evidence)
    if case.kind is Kind.DELAY:
        delay_ms = case.faults["delay_ms"]
        assert isinstance(delay_ms, int | float)
        if drift_ns(case_run) > tolerance_ns(delay_ms * MS) / 2:
            yield f"the controls lie {drift_ns(case_run) / 1000:.0f} µs apart"


def _noisy(case: FaultCase, noise: Noise) -> Iterator[str]:
    if noise.others_share > OTHERS_SHARE_MAX:
        yield f"others used {noise.others_share:.0%} of the cores"
    if noise.steal_share > STEAL_SHARE_MAX:
        yield f"{noise.steal_share:.0%} of the time was stolen"
    if noise.waited_ns > _waited_ns_max(case, noise):
        yield f"the server waited {noise.waited_ns / MS:.1f} ms for a core"
    if case.feed is not None and noise.pressure_ns > PRESSURE_NS_MAX:
        yield f"cores were waited for {noise.pressure_ns / MS:.1f} ms"


def _waited_ns_max(case: FaultCase, noise: Noise) -> float:
    if case.kind in _EXTREME:
        return WAITED_NS_MAX + WAKE_NS_MAX * case.messages
    if case.kind is Kind.STALL_CLOSED:
        return CLOSED_NS_MAX
    return WAITED_SHARE_MAX * noise.elapsed_s * 1e9


def _late(case: FaultCase, evidence: Evidence) -> Iterator[str]:
    """A client that sends late by itself cannot tell what the server does."""
    send_delay_ns = evidence.reading.send_delay_ns
    late = send_delay_ns.count_from(MS)
    if case.kind not in _EXTREME:
        if late > LATE_SHARE_MAX * send_delay_ns.count:
            yield f"{late} messages were sent 1 ms late"
    elif send_delay_ns.longest_ns > evidence.paused_ns + LATE_NS_MAX:
        yield f"the client was {send_delay_ns.longest_ns / MS:.1f} ms late"
