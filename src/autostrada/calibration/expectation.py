"""Compares the reported metrics with those expected of each fault."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from statistics import mean

from autostrada.calibration.comparison import ExpectedMetric
from autostrada.calibration.fault_cases import (
    BURST,
    ONE_IN,
    STALL_MS,
    FaultCase,
    FaultTopology,
    Kind,
)
from autostrada.calibration.parser import Reading
from autostrada.evidence.rate import COLD_METRICS

MS = 1_000_000
TOLERANCE_SHARE = 0.02
TOLERANCE_NS = 50_000
ON_TIME_TOLERANCE = 0.05
PUSH_TOLERANCE_SHARE = 0.03
UTILIZATION_TOLERANCE = 0.05
SLICES_TOLERANCE_SHARE = {FaultTopology.ENGINE: 0.05, FaultTopology.PEER_SERVER: 0.15}
"""A server's own code takes longer after work than in the control, that of the peer in
Python by a tenth of the work."""

PUSH_LATE_SHARE = 0.3
"""Time by which other load may postpone the reading of a pong, as a share of the
expected metric."""

HEALTHY_NS_MAX = 10 * MS
"""Response time that a server without a fault never reaches on an idle machine."""

SHIFT_NS_MAX = 5 * MS
"""Largest shift of the median of a delay or its controls that other load explains."""

PAUSE_SHIFT_NS_MAX = 30 * MS
"""Largest time between the signal and the actual stop of a process."""

FROM_MS = (10, 50, 90)
"""Response times of stalls and pauses: messages with at least these are counted."""


CLIENT_COLD = "client_ms_per_100k"
"""Time until the client of a push had processed the first 100,000 messages."""

SLICES = "slices_ns_per_message"
"""Time per message of a push in slices, by the slices."""

CLIENT_SLICES = "client_slices_ns_per_message"
"""The same by the clock of the client."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseRun:
    """The measurement of a case, with its controls before and after if it has any."""

    reading: Reading
    controls: Sequence[Reading] = ()


def compare(case: FaultCase, case_run: CaseRun) -> list[ExpectedMetric]:
    """Compare all metrics with their expected values, that of the fault first."""
    return _COMPARISONS[case.kind](case, case_run)


def faulty_messages(case: FaultCase) -> int:
    """Return the number of messages with a fault that affects one in ``ONE_IN``."""
    return case.messages // case.connections // ONE_IN * case.connections


def drift_ns(case_run: CaseRun) -> int:
    """Return the difference of the medians of the controls before and after."""
    medians = [_median_ns(control) for control in case_run.controls]
    return max(medians) - min(medians) if medians else 0


def tolerance_ns(expected_ns: float) -> float:
    """Return the tolerance for a duration."""
    return max(TOLERANCE_SHARE * expected_ns, TOLERANCE_NS)


def _healthy(case: FaultCase, case_run: CaseRun) -> list[ExpectedMetric]:
    reading = case_run.reading
    limited = ExpectedMetric(
        metric="generator_limited",
        seen=int(reading.generator_limited is not None),
        expected=0,
        noise_adds=1,
    )
    found = [*_faults_of(reading), limited]
    if case.feed is None:
        slow = _slow(reading, HEALTHY_NS_MAX // MS, 0)
        return [*_exact(reading, echoed=case.messages), slow, *found]
    return [
        ExpectedMetric(
            metric="burst_max", seen=reading.burst_max, expected=1, noise_adds=inf
        ),
        ExpectedMetric(
            metric="on_time",
            seen=reading.on_time,
            expected=case.messages,
            tolerance=max(1, case.messages // 100),
            noise_takes=inf,
        ),
        *found,
    ]


def _delay(case: FaultCase, case_run: CaseRun) -> list[ExpectedMetric]:
    reading = case_run.reading
    control_ns = mean(map(_median_ns, case_run.controls))
    if case.topology is FaultTopology.PEER_SERVER:
        controls_ns = mean(map(_held_ns, case_run.controls))
        expected_ns = _held_ns(case_run.reading) - controls_ns
    else:
        expected_ns = _number(case.faults["delay_ms"]) * MS
    delay = ExpectedMetric(
        metric="response_time_ns",
        seen=_median_ns(case_run.reading) - control_ns,
        expected=expected_ns,
        tolerance=tolerance_ns(expected_ns),
        noise_adds=SHIFT_NS_MAX,
        # A control that was disturbed takes as much as it has.
        noise_takes=max(SHIFT_NS_MAX, control_ns),
    )
    return [delay, *_exact(reading, echoed=case.messages), *_faults_of(reading)]


def _stall(case: FaultCase, case_run: CaseRun) -> list[ExpectedMetric]:
    """
    Compare the number of slow messages: those due in a stall wait for its end.

    The response time of a message is the time from when it was due to the end of the
    stall. The number of messages follows from the schedule. The tolerance is one
    message per stall, and those due within the tolerance of the stall's length.
    """
    reading, held_ns = case_run.reading, case_run.reading.held_ns
    per_ns = (case.rate_per_s or 0) / 1e9
    spare = _stalls(case) * (1 + per_ns * tolerance_ns(STALL_MS * MS))

    def expected(from_ms: int) -> float:
        if held_ns:
            return sum(held >= from_ms * MS for held in held_ns)
        return _stalls(case) * per_ns * (STALL_MS - from_ms) * MS

    longest_ns = max(held_ns, default=STALL_MS * MS)
    longest = ExpectedMetric(
        metric="response_time_ns_max",
        seen=reading.response_time_ns.longest_ns,
        expected=longest_ns,
        tolerance=tolerance_ns(longest_ns) + 1 / per_ns,
        noise_adds=inf,
    )
    slow = [_slow(reading, from_ms, expected(from_ms), spare) for from_ms in FROM_MS]
    return [*slow, longest, *_faults_of(reading)]


def _stall_closed(case: FaultCase, case_run: CaseRun) -> list[ExpectedMetric]:
    """Compare slow messages of a closed loop: one per connection and stall."""
    reading = case_run.reading
    slow = _slow(reading, STALL_MS // 2, _stalls(case) * case.connections)
    return [slow, *_faults_of(reading)]


def _pause(case: FaultCase, case_run: CaseRun) -> list[ExpectedMetric]:
    """Compare slow messages of a paused client: in response but not service time."""
    reading, paused_ns = case_run.reading, case_run.reading.paused_ns
    per_ns = (case.rate_per_s or 0) / 1e9
    spare = 1 + per_ns * tolerance_ns(paused_ns)
    shift = per_ns * PAUSE_SHIFT_NS_MAX
    return [
        *(
            _slow(reading, from_ms, per_ns * (paused_ns - from_ms * MS), spare, shift)
            for from_ms in FROM_MS
        ),
        ExpectedMetric(
            metric="served_from_10ms",
            seen=reading.service_time_ns.count_from(10 * MS),
            expected=0,
            noise_adds=inf,
        ),
        ExpectedMetric(
            metric="generator_limited",
            seen=int(reading.generator_limited is not None),
            expected=1,
        ),
        *_faults_of(reading),
    ]


def _counted(case: FaultCase, case_run: CaseRun) -> list[ExpectedMetric]:
    """Compare the counts of a fault that affects one in ``ONE_IN`` messages."""
    reading = case_run.reading
    number = faulty_messages(case)
    is_feed = case.feed is not None
    expected = {
        Kind.LOSE: {"missing": number, "gaps": number},
        Kind.REPEAT: {"duplicates": number},
        Kind.SWAP: {"reordered": number, "gaps": number},
        # A number with a changed last digit is another number, which becomes a
        # duplicate, and the original number is missing.
        Kind.CORRUPT: (
            {"missing": number, "duplicates": number, "gaps": number}
            if is_feed
            else {"wrong": number}
        ),
    }[case.kind]
    others = [fault for fault in _faults_of(reading) if fault.metric not in expected]
    if is_feed:
        return [*_exact(reading, **expected), *others]
    if case.kind is not Kind.SWAP:
        others = [fault for fault in others if fault.metric != "failures"]
    lost = number if case.kind in {Kind.LOSE, Kind.CORRUPT} else 0
    expected |= {"sent": case.messages, "echoed": case.messages - lost}
    return [*_exact(reading, **expected), *others]


def _burst(case: FaultCase, case_run: CaseRun) -> list[ExpectedMetric]:
    """Compare bursts, of which only the last message is on time."""
    del case
    reading = case_run.reading
    return [
        ExpectedMetric(
            metric="burst_max", seen=reading.burst_max, expected=BURST, noise_adds=inf
        ),
        ExpectedMetric(
            metric="on_time_share",
            seen=reading.on_time / max(1, reading.judged),
            expected=1 / BURST,
            tolerance=ON_TIME_TOLERANCE / BURST,
            noise_takes=inf,
        ),
        *_faults_of(reading),
    ]


def _rate(case: FaultCase, case_run: CaseRun) -> list[ExpectedMetric]:
    reading = case_run.reading
    cap = _number(case.faults["rate_per_s"])
    answered = cap * case.window_s
    return [
        ExpectedMetric(
            metric="achieved_rate_per_s",
            seen=reading.achieved_rate_per_s,
            expected=cap,
            tolerance=TOLERANCE_SHARE * cap,
            noise_takes=inf,
        ),
        ExpectedMetric(
            metric="backlog_at_window_end",
            seen=reading.backlog_at_window_end,
            expected=case.messages - answered,
            tolerance=TOLERANCE_SHARE * answered,
        ),
        *_exact(reading, offered_rate_per_s=case.rate_per_s or 0),
        *_faults_of(reading, but_failures=True),
    ]


def _used(case: FaultCase, case_run: CaseRun) -> list[ExpectedMetric]:
    """
    Compare what the server used for its messages, less what it used in the controls.

    The same work takes more CPU time on a machine with others.
    """
    is_work = case.kind is Kind.WORK
    used = "cpu_ns" if is_work else "growth_bytes"
    each = _number(case.faults["work_us" if is_work else "grow_bytes"])
    expected = case.messages * each * (1000 if is_work else 1)
    control = mean(getattr(control_run, used) for control_run in case_run.controls)
    metric = ExpectedMetric(
        metric="server_cpu_ns" if is_work else "resident_bytes",
        seen=getattr(case_run.reading, used) - control,
        expected=expected,
        tolerance=TOLERANCE_SHARE * expected,
        noise_adds=inf if is_work else 0,
        noise_takes=control if is_work else 0,
    )
    return [metric, *_faults_of(case_run.reading)]


def _sliced(case: FaultCase, case_run: CaseRun) -> list[ExpectedMetric]:
    """
    Compare the CPU time of a message in slices, less that of the controls.

    The server has work at all times but in its stalls, in which it is idle.
    """
    stall = case.faults["stall"]
    assert isinstance(stall, Mapping)
    expected_ns = _number(case.faults["work_us"]) * 1000
    control_ns = mean(map(_message_cpu_ns, case_run.controls))
    slices = case_run.reading.slices
    busy_ns = sum(each.server_cpu_ns or 0 for each in slices)
    return [
        ExpectedMetric(
            metric="server_cpu_ns_per_message",
            seen=_message_cpu_ns(case_run.reading) - control_ns,
            expected=expected_ns,
            tolerance=SLICES_TOLERANCE_SHARE[case.topology] * expected_ns,
            noise_adds=inf,
            noise_takes=control_ns,
        ),
        ExpectedMetric(
            metric="server_utilization",
            seen=busy_ns / max(1, sum(each.duration_ns for each in slices)),
            expected=1 - stall["for_ms"] / stall["every_ms"],
            tolerance=UTILIZATION_TOLERANCE,
            noise_takes=inf,
        ),
        *_faults_of(case_run.reading),
    ]


def _ended(case: FaultCase, case_run: CaseRun) -> list[ExpectedMetric]:
    """Compare the ends of connections; reading or writing detects resets."""
    reading = case_run.reading
    kinds = ("close",) if case.kind is Kind.CLOSE else ("read", "write")
    ended = sum(reading.failures.get(kind, 0) for kind in kinds)
    messages = _number(case.faults[f"{case.kind}_after"]) * case.connections
    return [
        ExpectedMetric(metric="ended", seen=ended, expected=case.connections),
        *_exact(reading, messages=messages),
        *_faults_of(reading, but_failures=True),
    ]


def _pushed(case: FaultCase, case_run: CaseRun) -> list[ExpectedMetric]:
    """Compare a push with the client's own record; without prompt pongs it has none."""
    metrics = case_run.reading.push
    if case.push and case.push.pongs != "prompt":
        found = sum(metric in metrics for metric in COLD_METRICS.values())
        return [ExpectedMetric(metric="metrics_without_pongs", seen=found, expected=0)]
    expected = {"ms_per_100k": metrics[CLIENT_COLD], SLICES: metrics[CLIENT_SLICES]}
    return [
        ExpectedMetric(
            metric=metric,
            seen=metrics.get(metric, 0.0),
            expected=value,
            tolerance=PUSH_TOLERANCE_SHARE * value,
            noise_adds=PUSH_LATE_SHARE * value,
            noise_takes=PUSH_TOLERANCE_SHARE * value,
        )
        for metric, value in expected.items()
    ]


_COMPARISONS: Mapping[Kind, Callable[[FaultCase, CaseRun], list[ExpectedMetric]]] = {
    Kind.HEALTHY: _healthy,
    Kind.DELAY: _delay,
    Kind.STALL: _stall,
    Kind.STALL_CLOSED: _stall_closed,
    Kind.PAUSE: _pause,
    Kind.LOSE: _counted,
    Kind.REPEAT: _counted,
    Kind.SWAP: _counted,
    Kind.CORRUPT: _counted,
    Kind.BURST: _burst,
    Kind.RATE: _rate,
    Kind.GROW: _used,
    Kind.WORK: _used,
    Kind.SLICES: _sliced,
    Kind.CLOSE: _ended,
    Kind.ABORT: _ended,
    Kind.PUSH: _pushed,
}


def _exact(reading: Reading, **expected: float) -> list[ExpectedMetric]:
    """Compare metrics of a reading with exact values, by name."""
    return [
        ExpectedMetric(metric=metric, seen=getattr(reading, metric), expected=value)
        for metric, value in expected.items()
    ]


def _slow(
    reading: Reading,
    from_ms: int,
    expected: float,
    tolerance: float = 0,
    noise_takes: float = 0,
) -> ExpectedMetric:
    """Compare the number of messages of at least so many milliseconds."""
    return ExpectedMetric(
        metric=f"messages_from_{from_ms}ms",
        seen=reading.response_time_ns.count_from(from_ms * MS),
        expected=expected,
        tolerance=tolerance,
        noise_adds=inf,
        noise_takes=noise_takes,
    )


def _faults_of(reading: Reading, *, but_failures: bool = False) -> list[ExpectedMetric]:
    """Compare the counts of all faults with zero."""
    metrics = ("missing", "gaps", "duplicates", "reordered", "unexpected", "wrong")
    found = _exact(reading, **dict.fromkeys(metrics, 0))
    failures = sum(reading.failures.values())
    failed = ExpectedMetric(metric="failures", seen=failures, expected=0)
    return found if but_failures else [*found, failed]


def _stalls(case: FaultCase) -> int:
    """Return the number of stalls in the window, which begins with an interval."""
    stall = case.faults["stall"]
    assert isinstance(stall, Mapping)
    return int(case.window_s * 1000 / stall["every_ms"])


def _median_ns(reading: Reading) -> int:
    return reading.response_time_ns.quantile_ns(0.5)


def _message_cpu_ns(reading: Reading) -> float:
    cpu_ns = sum(each.server_cpu_ns or 0 for each in reading.slices)
    return cpu_ns / max(1, sum(each.messages for each in reading.slices))


def _held_ns(reading: Reading) -> float:
    held_ns = sorted(reading.held_ns)
    return held_ns[len(held_ns) // 2] if held_ns else 0


def _number(value: object) -> float:
    assert isinstance(value, int | float)
    return value
