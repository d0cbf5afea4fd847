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

MS = 1_000_000
TOLERANCE_SHARE = 0.02
TOLERANCE_NS = 50_000
ON_TIME_TOLERANCE = 0.05
PUSH_TOLERANCE_SHARE = 0.03
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


@dataclass(frozen=True, kw_only=True, slots=True)
class PushReading:
    """The metrics of a push, and what the client processed by its own clock."""

    metrics: Mapping[str, float]
    cold_ms: float
    """Time until the client had processed the first 100,000 messages."""

    steady_ns_per_message: float
    """Time per message of the client in the part that was reported as steady."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseEvidence:
    """One measurement: the client's metrics, and metrics from other sources."""

    reading: Reading
    held_ns: Sequence[int] = ()
    """Times from due to sent of each answer, as reported by the peer server."""

    growth_bytes: int = 0
    """Growth of the server's resident memory."""

    cpu_ns: int = 0
    """CPU time that the server used."""

    paused_ns: int = 0
    """Time for which the client was stopped."""

    push: PushReading | None = None
    """The metrics of a push; ``None`` for the other kinds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseRun:
    """The measurement of a case, with its controls before and after if it has any."""

    evidence: CaseEvidence
    controls: Sequence[CaseEvidence] = ()


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
    reading = case_run.evidence.reading
    slow = reading.response_time_ns.count_from(HEALTHY_NS_MAX)
    found = [
        *_faults_of(reading),
        ExpectedMetric(
            metric="generator_limited",
            seen=int(reading.generator_limited is not None),
            expected=0,
            noise_adds=1,
        ),
    ]
    if case.feed is not None:
        return [
            ExpectedMetric(
                metric="burst_max",
                seen=reading.burst_max,
                expected=1,
                noise_adds=inf,
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
    return [
        ExpectedMetric(metric="echoed", seen=reading.echoed, expected=case.messages),
        ExpectedMetric(
            metric="messages_from_10ms", seen=slow, expected=0, noise_adds=inf
        ),
        *found,
    ]


def _delay(case: FaultCase, case_run: CaseRun) -> list[ExpectedMetric]:
    reading = case_run.evidence.reading
    control_ns = mean(map(_median_ns, case_run.controls))
    seen_ns = _median_ns(case_run.evidence) - control_ns
    if case.topology is FaultTopology.PEER_SERVER:
        expected_ns = _held_ns(case_run.evidence) - mean(
            map(_held_ns, case_run.controls)
        )
    else:
        expected_ns = _number(case.faults["delay_ms"]) * MS
    return [
        ExpectedMetric(
            metric="response_time_ns",
            seen=seen_ns,
            expected=expected_ns,
            tolerance=tolerance_ns(expected_ns),
            noise_adds=SHIFT_NS_MAX,
            # A control that was disturbed takes as much as it has.
            noise_takes=max(SHIFT_NS_MAX, control_ns),
        ),
        ExpectedMetric(metric="echoed", seen=reading.echoed, expected=case.messages),
        *_faults_of(reading),
    ]


def _stall(case: FaultCase, case_run: CaseRun) -> list[ExpectedMetric]:
    """
    Compare the number of slow messages: those due in a stall wait for its end.

    The response time of a message is the time from when it was due to the end of the
    stall. The number of messages follows from the schedule. The tolerance is one
    message per stall, and those due within the tolerance of the stall's length.
    """
    evidence = case_run.evidence
    response_time_ns = evidence.reading.response_time_ns
    stalls = _stalls(case)
    per_ns = (case.rate_per_s or 0) / 1e9
    spare = stalls * (1 + per_ns * tolerance_ns(STALL_MS * MS))
    comparisons = []
    for from_ms in FROM_MS:
        if evidence.held_ns:
            expected: float = sum(held >= from_ms * MS for held in evidence.held_ns)
        else:
            expected = stalls * per_ns * (STALL_MS - from_ms) * MS
        comparisons.append(
            ExpectedMetric(
                metric=f"messages_from_{from_ms}ms",
                seen=response_time_ns.count_from(from_ms * MS),
                expected=expected,
                tolerance=spare,
                noise_adds=inf,
            )
        )
    longest_ns = max(evidence.held_ns, default=STALL_MS * MS)
    return [
        *comparisons,
        ExpectedMetric(
            metric="response_time_ns_max",
            seen=response_time_ns.longest_ns,
            expected=longest_ns,
            tolerance=tolerance_ns(longest_ns) + 1 / per_ns,
            noise_adds=inf,
        ),
        *_faults_of(evidence.reading),
    ]


def _stall_closed(case: FaultCase, case_run: CaseRun) -> list[ExpectedMetric]:
    """Compare slow messages of a closed loop: one per connection and stall."""
    reading = case_run.evidence.reading
    return [
        ExpectedMetric(
            metric="messages_from_50ms",
            seen=reading.response_time_ns.count_from(STALL_MS * MS // 2),
            expected=_stalls(case) * case.connections,
            noise_adds=inf,
        ),
        *_faults_of(reading),
    ]


def _pause(case: FaultCase, case_run: CaseRun) -> list[ExpectedMetric]:
    """Compare slow messages of a paused client: in response but not service time."""
    evidence = case_run.evidence
    reading = evidence.reading
    per_ns = (case.rate_per_s or 0) / 1e9
    paused_ns = evidence.paused_ns
    spare = 1 + per_ns * tolerance_ns(paused_ns)
    return [
        *(
            ExpectedMetric(
                metric=f"messages_from_{from_ms}ms",
                seen=reading.response_time_ns.count_from(from_ms * MS),
                expected=per_ns * (paused_ns - from_ms * MS),
                tolerance=spare,
                noise_adds=inf,
                noise_takes=per_ns * PAUSE_SHIFT_NS_MAX,
            )
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
    reading = case_run.evidence.reading
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
    comparisons = [
        ExpectedMetric(metric=metric, seen=getattr(reading, metric), expected=count)
        for metric, count in expected.items()
    ]
    if not is_feed:
        unanswered = number if case.kind in {Kind.LOSE, Kind.CORRUPT} else 0
        comparisons += [
            ExpectedMetric(metric="sent", seen=reading.sent, expected=case.messages),
            ExpectedMetric(
                metric="echoed",
                seen=reading.echoed,
                expected=case.messages - unanswered,
            ),
        ]
    others = [fault for fault in _faults_of(reading) if fault.metric not in expected]
    if case.kind is not Kind.SWAP and not is_feed:
        others = [fault for fault in others if fault.metric != "failures"]
    return comparisons + others


def _burst(case: FaultCase, case_run: CaseRun) -> list[ExpectedMetric]:
    """Compare bursts, of which only the last message is on time."""
    reading = case_run.evidence.reading
    return [
        ExpectedMetric(
            metric="burst_max",
            seen=reading.burst_max,
            expected=BURST,
            noise_adds=inf,
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
    reading = case_run.evidence.reading
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
        ExpectedMetric(
            metric="offered_rate_per_s",
            seen=reading.offered_rate_per_s,
            expected=case.rate_per_s or 0,
        ),
        *[fault for fault in _faults_of(reading) if fault.metric != "failures"],
    ]


def _grow(case: FaultCase, case_run: CaseRun) -> list[ExpectedMetric]:
    expected = case.messages * _number(case.faults["grow_bytes"])
    control = mean(control_run.growth_bytes for control_run in case_run.controls)
    return [
        ExpectedMetric(
            metric="resident_bytes",
            seen=case_run.evidence.growth_bytes - control,
            expected=expected,
            tolerance=TOLERANCE_SHARE * expected,
        ),
        *_faults_of(case_run.evidence.reading),
    ]


def _work(case: FaultCase, case_run: CaseRun) -> list[ExpectedMetric]:
    """Compare CPU time, of which the same work takes more on a machine with others."""
    expected_ns = case.messages * _number(case.faults["work_us"]) * 1000
    control_ns = mean(control.cpu_ns for control in case_run.controls)
    return [
        ExpectedMetric(
            metric="server_cpu_ns",
            seen=case_run.evidence.cpu_ns - control_ns,
            expected=expected_ns,
            tolerance=TOLERANCE_SHARE * expected_ns,
            noise_adds=inf,
            noise_takes=control_ns,
        ),
        *_faults_of(case_run.evidence.reading),
    ]


def _closed(case: FaultCase, case_run: CaseRun) -> list[ExpectedMetric]:
    return _ended(case, case_run, "close_after", {"close"})


def _aborted(case: FaultCase, case_run: CaseRun) -> list[ExpectedMetric]:
    """Compare resets, which are detected by reading or by writing."""
    return _ended(case, case_run, "abort_after", {"read", "write"})


def _ended(
    case: FaultCase, case_run: CaseRun, fault: str, kinds: set[str]
) -> list[ExpectedMetric]:
    reading = case_run.evidence.reading
    failures = reading.failures
    return [
        ExpectedMetric(
            metric="ended",
            seen=sum(failures.get(kind, 0) for kind in kinds),
            expected=case.connections,
        ),
        ExpectedMetric(
            metric="messages",
            seen=reading.messages,
            expected=_number(case.faults[fault]) * case.connections,
        ),
        *[each for each in _faults_of(reading) if each.metric != "failures"],
    ]


def _pushed(case: FaultCase, case_run: CaseRun) -> list[ExpectedMetric]:
    """Compare a push with the client's own record; without prompt pongs it has none."""
    push, reading = case.push, case_run.evidence.push
    assert push is not None
    assert reading is not None
    expected = {
        "ms_per_100k": reading.cold_ms,
        "steady_ns_per_message": reading.steady_ns_per_message,
    }
    if push.pongs != "prompt":
        found = sum(metric in reading.metrics for metric in expected)
        return [ExpectedMetric(metric="metrics_without_pongs", seen=found, expected=0)]
    return [
        ExpectedMetric(
            metric=metric,
            seen=reading.metrics.get(metric, 0.0),
            expected=value,
            tolerance=PUSH_TOLERANCE_SHARE * value,
            noise_adds=PUSH_LATE_SHARE * value,
            # Other load may keep a rate from becoming steady: then there is no metric.
            noise_takes=PUSH_TOLERANCE_SHARE * value
            if metric in reading.metrics
            else inf,
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
    Kind.GROW: _grow,
    Kind.WORK: _work,
    Kind.CLOSE: _closed,
    Kind.ABORT: _aborted,
    Kind.PUSH: _pushed,
}


def _faults_of(reading: Reading) -> list[ExpectedMetric]:
    """Compare the counts of all faults with zero."""
    metrics = ("missing", "gaps", "duplicates", "reordered", "unexpected", "wrong")
    return [
        *(
            ExpectedMetric(metric=metric, seen=getattr(reading, metric), expected=0)
            for metric in metrics
        ),
        ExpectedMetric(
            metric="failures", seen=sum(reading.failures.values()), expected=0
        ),
    ]


def _stalls(case: FaultCase) -> int:
    """Return the number of stalls in the window, which begins with an interval."""
    stall = case.faults["stall"]
    assert isinstance(stall, Mapping)
    return int(case.window_s * 1000 / stall["every_ms"])


def _median_ns(evidence: CaseEvidence) -> int:
    return evidence.reading.response_time_ns.quantile_ns(0.5)


def _held_ns(evidence: CaseEvidence) -> float:
    held_ns = sorted(evidence.held_ns)
    return held_ns[len(held_ns) // 2] if held_ns else 0


def _number(value: object) -> float:
    assert isinstance(value, int | float)
    return value
