"""What must be reported of each kind of case, and whether it was: pure arithmetic."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from statistics import mean

from autostrada.calibration.fault_cases import (
    BURST,
    ONE_IN,
    STALL_MS,
    FaultCase,
    Kind,
    Topology,
)
from autostrada.calibration.parser import Reading

MS = 1_000_000
TOLERANCE_SHARE = 0.02
TOLERANCE_NS = 50_000
ON_TIME_TOLERANCE = 0.05
HEALTHY_NS_MAX = 10 * MS
"""A healthy server on a quiet machine leaves nobody waiting so long."""

SHIFT_NS_MAX = 5 * MS
"""By so much other load may shift the median of a delay, or of its controls."""

PAUSE_SHIFT_NS_MAX = 30 * MS
"""So much later than it is told a process may be stopped."""

FROM_MS = (10, 50, 90)
"""Of a stall: how many messages waited so long or longer is counted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """One figure beside what it must be; the name ends in its unit."""

    figure: str
    seen: float
    expected: float
    tolerance: float = 0
    noise_adds: float = 0
    """Up to so much more than the tolerance, other load on the machine explains it."""

    noise_takes: float = 0
    """Up to so much less."""

    @property
    def is_met(self) -> bool:
        """Whether the figure is what was expected."""
        return abs(self.seen - self.expected) <= self.tolerance

    @property
    def may_be_noise(self) -> bool:
        """Whether it is what was expected, or other load explains why it is not."""
        excess = self.seen - self.expected
        return (
            -self.tolerance - self.noise_takes
            <= excess
            <= self.tolerance + self.noise_adds
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """One measurement: what the client reported, and what else is known of it."""

    reading: Reading
    held_ns: Sequence[int] = ()
    """By the peer server: from due until it sent the answer, of each message."""

    growth_bytes: int = 0
    """By how much the server's resident memory grew."""

    paused_ns: int = 0
    """How long the client itself was stopped."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseRun:
    """A case on the rig, and nothing on it before and after."""

    evidence: Evidence
    controls: Sequence[Evidence] = ()


def judge(case: FaultCase, case_run: CaseRun) -> list[Comparison]:
    """Compare all that was reported with what must be; what the case is for first."""
    return _JUDGES[case.kind](case, case_run)


def faulty(case: FaultCase) -> int:
    """Return how many messages have a fault of which there is one in K."""
    return case.messages // case.connections // ONE_IN * case.connections


def drift_ns(case_run: CaseRun) -> int:
    """Return how far the controls before and after lie apart, by their medians."""
    medians = [_median_ns(each) for each in case_run.controls]
    return max(medians) - min(medians) if medians else 0


def tolerance_ns(expected_ns: float) -> float:
    """Return by how much a duration may differ from what it must be."""
    return max(TOLERANCE_SHARE * expected_ns, TOLERANCE_NS)


def _healthy(case: FaultCase, case_run: CaseRun) -> list[Comparison]:
    reading = case_run.evidence.reading
    slow = reading.response_time_ns.count_from(HEALTHY_NS_MAX)
    found = [
        *_faults_of(reading),
        Comparison(
            figure="generator_limited",
            seen=int(reading.generator_limited is not None),
            expected=0,
            noise_adds=1,
        ),
    ]
    if case.feed is not None:
        return [
            Comparison(
                figure="burst_max",
                seen=reading.burst_max,
                expected=1,
                noise_adds=inf,
            ),
            Comparison(
                figure="on_time",
                seen=reading.on_time,
                expected=case.messages,
                tolerance=max(1, case.messages // 100),
                noise_takes=inf,
            ),
            *found,
        ]
    return [
        Comparison(figure="echoed", seen=reading.echoed, expected=case.messages),
        Comparison(figure="messages_from_10ms", seen=slow, expected=0, noise_adds=inf),
        *found,
    ]


def _delay(case: FaultCase, case_run: CaseRun) -> list[Comparison]:
    reading = case_run.evidence.reading
    seen_ns = _median_ns(case_run.evidence) - mean(map(_median_ns, case_run.controls))
    if case.topology is Topology.PEER_SERVER:
        expected_ns = _held_ns(case_run.evidence) - mean(
            map(_held_ns, case_run.controls)
        )
    else:
        expected_ns = _number(case.faults["delay_ms"]) * MS
    return [
        Comparison(
            figure="response_time_ns",
            seen=seen_ns,
            expected=expected_ns,
            tolerance=tolerance_ns(expected_ns),
            noise_adds=SHIFT_NS_MAX,
            noise_takes=SHIFT_NS_MAX,
        ),
        Comparison(figure="echoed", seen=reading.echoed, expected=case.messages),
        *_faults_of(reading),
    ]


def _stall(case: FaultCase, case_run: CaseRun) -> list[Comparison]:
    """
    Every message that was due in a stall waits for its end.

    Of one that is due a while before that end, the response time is that while. The
    schedule says how many there are, give or take one at each stall, and those that
    are due within the tolerance of its length.
    """
    evidence = case_run.evidence
    response_time_ns = evidence.reading.response_time_ns
    stalls = _stalls(case)
    per_ns = (case.rate_per_s or 0) / 1e9
    spare = stalls * (1 + per_ns * tolerance_ns(STALL_MS * MS))
    comparisons = []
    for from_ms in FROM_MS:
        if evidence.held_ns:
            expected: float = sum(each >= from_ms * MS for each in evidence.held_ns)
        else:
            expected = stalls * per_ns * (STALL_MS - from_ms) * MS
        comparisons.append(
            Comparison(
                figure=f"messages_from_{from_ms}ms",
                seen=response_time_ns.count_from(from_ms * MS),
                expected=expected,
                tolerance=spare,
                noise_adds=inf,
            )
        )
    longest_ns = max(evidence.held_ns, default=STALL_MS * MS)
    return [
        *comparisons,
        Comparison(
            figure="response_time_ns_max",
            seen=response_time_ns.longest_ns,
            expected=longest_ns,
            tolerance=tolerance_ns(longest_ns) + 1 / per_ns,
            noise_adds=inf,
        ),
        *_faults_of(evidence.reading),
    ]


def _stall_closed(case: FaultCase, case_run: CaseRun) -> list[Comparison]:
    """A closed loop is asked for nothing while the server stands still."""
    reading = case_run.evidence.reading
    return [
        Comparison(
            figure="messages_from_50ms",
            seen=reading.response_time_ns.count_from(STALL_MS * MS // 2),
            expected=_stalls(case) * case.connections,
            noise_adds=inf,
        ),
        *_faults_of(reading),
    ]


def _pause(case: FaultCase, case_run: CaseRun) -> list[Comparison]:
    """The client stood still: response time tells it, service time does not."""
    evidence = case_run.evidence
    reading = evidence.reading
    per_ns = (case.rate_per_s or 0) / 1e9
    paused_ns = evidence.paused_ns
    spare = 1 + per_ns * tolerance_ns(paused_ns)
    return [
        *(
            Comparison(
                figure=f"messages_from_{from_ms}ms",
                seen=reading.response_time_ns.count_from(from_ms * MS),
                expected=per_ns * (paused_ns - from_ms * MS),
                tolerance=spare,
                noise_adds=inf,
                noise_takes=per_ns * PAUSE_SHIFT_NS_MAX,
            )
            for from_ms in FROM_MS
        ),
        Comparison(
            figure="served_from_10ms",
            seen=reading.service_time_ns.count_from(10 * MS),
            expected=0,
            noise_adds=inf,
        ),
        Comparison(
            figure="generator_limited",
            seen=int(reading.generator_limited is not None),
            expected=1,
        ),
        *_faults_of(reading),
    ]


def _counted(case: FaultCase, case_run: CaseRun) -> list[Comparison]:
    """Compare what was counted with what follows from how many were sent."""
    reading = case_run.evidence.reading
    number = faulty(case)
    is_feed = case.feed is not None
    expected = {
        Kind.LOSE: {"missing": number, "gaps": number},
        Kind.REPEAT: {"duplicates": number},
        Kind.SWAP: {"reordered": number, "gaps": number},
        # A number with another last digit is another number: it has come, or comes
        # again, and its own does not.
        Kind.CORRUPT: (
            {"missing": number, "duplicates": number, "gaps": number}
            if is_feed
            else {"wrong": number}
        ),
    }[case.kind]
    comparisons = [
        Comparison(figure=figure, seen=getattr(reading, figure), expected=count)
        for figure, count in expected.items()
    ]
    if not is_feed:
        unanswered = number if case.kind in {Kind.LOSE, Kind.CORRUPT} else 0
        comparisons += [
            Comparison(figure="sent", seen=reading.sent, expected=case.messages),
            Comparison(
                figure="echoed",
                seen=reading.echoed,
                expected=case.messages - unanswered,
            ),
        ]
    others = [each for each in _faults_of(reading) if each.figure not in expected]
    if case.kind is not Kind.SWAP and not is_feed:
        others = [each for each in others if each.figure != "failures"]
    return comparisons + others


def _burst(case: FaultCase, case_run: CaseRun) -> list[Comparison]:
    """Only the last message of a burst comes when it is due."""
    reading = case_run.evidence.reading
    return [
        Comparison(
            figure="burst_max",
            seen=reading.burst_max,
            expected=BURST,
            noise_adds=inf,
        ),
        Comparison(
            figure="on_time_share",
            seen=reading.on_time / max(1, reading.judged),
            expected=1 / BURST,
            tolerance=ON_TIME_TOLERANCE / BURST,
            noise_takes=inf,
        ),
        *_faults_of(reading),
    ]


def _rate(case: FaultCase, case_run: CaseRun) -> list[Comparison]:
    reading = case_run.evidence.reading
    cap = _number(case.faults["rate_per_s"])
    answered = cap * case.window_s
    return [
        Comparison(
            figure="achieved_rate_per_s",
            seen=reading.achieved_rate_per_s,
            expected=cap,
            tolerance=TOLERANCE_SHARE * cap,
            noise_takes=inf,
        ),
        Comparison(
            figure="backlog_at_window_end",
            seen=reading.backlog_at_window_end,
            expected=case.messages - answered,
            tolerance=TOLERANCE_SHARE * answered,
        ),
        Comparison(
            figure="offered_rate_per_s",
            seen=reading.offered_rate_per_s,
            expected=case.rate_per_s or 0,
        ),
        *[each for each in _faults_of(reading) if each.figure != "failures"],
    ]


def _grow(case: FaultCase, case_run: CaseRun) -> list[Comparison]:
    expected = case.messages * _number(case.faults["grow_bytes"])
    control = mean(each.growth_bytes for each in case_run.controls)
    return [
        Comparison(
            figure="resident_bytes",
            seen=case_run.evidence.growth_bytes - control,
            expected=expected,
            tolerance=TOLERANCE_SHARE * expected,
        ),
        *_faults_of(case_run.evidence.reading),
    ]


def _closed(case: FaultCase, case_run: CaseRun) -> list[Comparison]:
    return _ended(case, case_run, "close_after", {"close"})


def _aborted(case: FaultCase, case_run: CaseRun) -> list[Comparison]:
    """A reset is found by whoever reads or writes first."""
    return _ended(case, case_run, "abort_after", {"read", "write"})


def _ended(
    case: FaultCase, case_run: CaseRun, fault: str, kinds: set[str]
) -> list[Comparison]:
    reading = case_run.evidence.reading
    failures = reading.failures
    return [
        Comparison(
            figure="ended",
            seen=sum(failures.get(kind, 0) for kind in kinds),
            expected=case.connections,
        ),
        Comparison(
            figure="messages",
            seen=reading.messages,
            expected=_number(case.faults[fault]) * case.connections,
        ),
        *[each for each in _faults_of(reading) if each.figure != "failures"],
    ]


_JUDGES: Mapping[Kind, Callable[[FaultCase, CaseRun], list[Comparison]]] = {
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
    Kind.CLOSE: _closed,
    Kind.ABORT: _aborted,
}


def _faults_of(reading: Reading) -> list[Comparison]:
    """Expect nothing of what nobody has done."""
    figures = ("missing", "gaps", "duplicates", "reordered", "unexpected", "wrong")
    return [
        *(
            Comparison(figure=figure, seen=getattr(reading, figure), expected=0)
            for figure in figures
        ),
        Comparison(figure="failures", seen=sum(reading.failures.values()), expected=0),
    ]


def _stalls(case: FaultCase) -> int:
    """Return how many stalls lie in the window, which begins with an interval."""
    stall = case.faults["stall"]
    assert isinstance(stall, Mapping)
    return int(case.window_s * 1000 / stall["every_ms"])


def _median_ns(evidence: Evidence) -> int:
    return evidence.reading.response_time_ns.quantile_ns(0.5)


def _held_ns(evidence: Evidence) -> float:
    held_ns = sorted(evidence.held_ns)
    return held_ns[len(held_ns) // 2] if held_ns else 0


def _number(value: object) -> float:
    assert isinstance(value, int | float)
    return value
