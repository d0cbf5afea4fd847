"""
Runs cases, and repeats those that the machine disturbed.

Other load can make a correct metric look wrong, but not a wrong one look correct.
Therefore a case fails only by metrics that other load does not explain. A disturbed
case is repeated; it stays undecided if the time for repetitions is over.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf

from autostrada.calibration.bottlenecks import ON_ANY_MACHINE, KnownBottleneck
from autostrada.calibration.comparison import ExpectedMetric
from autostrada.calibration.disturbance import disturbance
from autostrada.calibration.expectation import CaseRun, compare
from autostrada.calibration.fault_cases import (
    CONTROLLED,
    NONE,
    OBSERVED,
    FaultCase,
    Kind,
)
from autostrada.calibration.parser import Reading
from autostrada.calibration.rig import Rig
from autostrada.errors import UsageError
from autostrada.machine.noise import Noise, is_idle
from autostrada.stats.verdict import Verdict, classify

DISTURBED_WEIGHT = 0.5
"""Weight of a measurement that is as expected, but was made on a disturbed machine."""

TIMER_LATENESS_NS_MAX = 500_000
"""Largest lateness of any timer on an idle host: half of the send delay from which the
load generator counts as limited."""


Case = FaultCase | KnownBottleneck


class FaultVerdict(StrEnum):
    """The verdict on a case or on a whole calibration."""

    PASS = "pass"
    FAIL = "fail"
    DISTURBED = "disturbed"


@dataclass(frozen=True, kw_only=True, slots=True)
class FaultOutcome:
    """The outcome of a case."""

    case: Case
    verdict: FaultVerdict
    comparisons: tuple[ExpectedMetric, ...]
    """The compared metrics; empty if the case was disturbed."""

    reason: str
    """How the last attempt was disturbed or wrong; ``""`` if it was not."""

    attempts: int
    """Number of measurements."""

    note: str = ""
    """Explanation of the last trial of a known bottleneck."""

    is_left_out: bool = False
    """Whether the case was skipped, because this machine lacks a requirement."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseMeasurement:
    """One measurement of a case, compared with what is expected."""

    comparisons: tuple[ExpectedMetric, ...]
    reason: str | None
    """How it was disturbed; ``None`` if it was not."""

    is_host_idle: bool
    """Whether neither other load nor late timers of the host explain a difference."""

    wrong: str = ""
    """What is wrong about a verdict."""

    note: str = ""
    """Explanation of a verdict."""


class Pending:
    """
    An undecided case, and its measurements so far.

    A case passes with ``trials`` measurements that are as expected, or with one more
    after one that was not. It fails with two that are not as expected and that other
    load does not explain. On an idle host, one suffices for a case that only counts.
    """

    def __init__(self, case: Case, *, trials: int = 1) -> None:
        self.case = case
        self._trials = trials
        self._matches = 0.0
        self._mismatches = 0
        self._comparisons: tuple[ExpectedMetric, ...] = ()
        self._note = ""
        self.attempts = 0
        self.verdict: FaultVerdict | None = None
        """The verdict, or ``None`` if the case is undecided."""

        self.reason = "no time was left"
        """Why it is undecided, or what is wrong about a verdict."""

    @property
    def is_repeated(self) -> bool:
        """Whether its next measurement is one that was not planned."""
        return self.attempts >= self._trials

    def add(self, measurement: CaseMeasurement) -> None:
        """Add a measurement; it counts unless noise may explain its result."""
        self.attempts += 1
        self._note = measurement.note
        self.reason = measurement.reason or "load or late timers may explain it"
        comparisons = measurement.comparisons
        is_disturbed = measurement.reason is not None
        if all(comparison.is_met for comparison in comparisons):
            self._matches += DISTURBED_WEIGHT if is_disturbed else 1
        elif any(comparison.is_beyond_noise for comparison in comparisons) or not (
            is_disturbed
            or (
                not measurement.is_host_idle
                and all(comparison.may_be_noise for comparison in comparisons)
            )
        ):
            self._mismatches += 1
        else:
            return
        is_decisive = self.case.is_counted and measurement.is_host_idle
        if self._matches >= self._trials + bool(self._mismatches):
            self.verdict = FaultVerdict.PASS
        elif self._mismatches == (1 if is_decisive else 2):
            self.verdict = FaultVerdict.FAIL
        if self.verdict:
            self._comparisons = comparisons
            self.reason = measurement.wrong

    def outcome(self) -> FaultOutcome:
        """Return the outcome; an undecided case counts as disturbed."""
        comparisons = self._comparisons
        if comparisons and isinstance(self.case, KnownBottleneck):
            comparisons = (correct_verdicts(int(self._matches), self._trials),)
        return FaultOutcome(
            case=self.case,
            verdict=self.verdict or FaultVerdict.DISTURBED,
            comparisons=comparisons,
            reason=self.reason,
            attempts=self.attempts,
            note=self._note,
        )


class Budget:
    """The time for measurements; none begins after it has run out."""

    def __init__(
        self,
        *,
        repeats_s: float,
        total_s: float = inf,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Limit repetitions to ``repeats_s``, and the total to ``total_s`` from now."""
        self._repeats_s = repeats_s
        self._total_s = total_s
        self._clock_s = clock_s
        self._begun_s = clock_s()

    def allows(self, *, is_repeat: bool) -> bool:
        """Whether a measurement may begin."""
        is_over = self._clock_s() - self._begun_s >= self._total_s
        return not is_over and not (is_repeat and self._repeats_s <= 0)

    @contextmanager
    def repetition(self) -> Iterator[None]:
        """Subtract the duration of the block from the time for repetitions."""
        begun_s = self._clock_s()
        yield
        self._repeats_s -= self._clock_s() - begun_s


class Session:
    """Runs cases; the last control is reused if the next case has the same."""

    def __init__(
        self,
        rig: Rig,
        idle_wait: Callable[[], object],
        budget: Budget,
        *,
        trials: int = 1,
    ) -> None:
        """Run cases within a budget, each in so many trials at least."""
        self._rig = rig
        self._wait_until_idle = idle_wait
        self._budget = budget
        self._trials = trials
        self._noises: list[Noise] = []
        self._latest: tuple[FaultCase, tuple[Reading, Noise]] | None = None

    def run(self, cases: Sequence[Case]) -> Iterator[FaultOutcome]:
        """Run each case once, then repeat undecided ones; yield each final outcome."""
        pending = [Pending(case, trials=self._trials) for case in cases]
        while pending:
            undecided = []
            for case_run in pending:
                is_repeat = case_run.is_repeated
                if not self._budget.allows(is_repeat=is_repeat):
                    yield case_run.outcome()
                    continue
                try:
                    with self._budget.repetition() if is_repeat else nullcontext():
                        self._attempt(case_run)
                except UsageError as error:
                    case_run.reason = f"not calibrated: {error}"
                    yield replace(case_run.outcome(), is_left_out=True)
                    continue
                if case_run.verdict is None:
                    undecided.append(case_run)
                else:
                    yield case_run.outcome()
            pending = undecided

    def _attempt(self, pending: Pending) -> None:
        """Measure a case once more, and add the measurement to its decision."""
        case = pending.case
        if pending.attempts or isinstance(case, KnownBottleneck):
            self._latest = None
            self._wait_until_idle()
        if isinstance(case, FaultCase):
            pending.add(self._compare(case))
        else:
            pending.add(self._classify(case))

    def _compare(self, case: FaultCase) -> CaseMeasurement:
        """Compare what a fault case reports with what it must report."""
        case_run, noises = self._measure(case)
        self._noises += noises
        comparisons = tuple(compare(case, case_run))
        is_host_idle = is_idle(self._noises) and is_idle(noises)
        return CaseMeasurement(
            comparisons=comparisons,
            reason=disturbance(case, case_run, noises),
            is_host_idle=is_host_idle and self._are_timers_exact(comparisons),
        )

    def _classify(self, known: KnownBottleneck) -> CaseMeasurement:
        """Compare the verdict on a trial with its bottleneck."""
        evidence, noise = self._rig.try_bottleneck(known)
        reason = evidence.disturbance
        if known.bottleneck in ON_ANY_MACHINE:
            reason = ""
        elif reason:
            evidence = replace(evidence, disturbance="")
        found = classify(evidence)
        is_correct = found.bottleneck is known.bottleneck
        comparisons = (correct_verdicts(int(is_correct), 1),)
        return CaseMeasurement(
            comparisons=comparisons,
            reason=reason or None,
            is_host_idle=is_idle([noise]) and self._are_timers_exact(comparisons),
            wrong="" if is_correct else f"classified as {found.bottleneck.value}",
            note=describe_verdict(found),
        )

    def _are_timers_exact(self, comparisons: Sequence[ExpectedMetric]) -> bool:
        """
        Whether the host wakes a sleeping thread in time; asked only about a difference.

        A hypervisor that is late to wake a core does not count it as stolen time.
        """
        return all(comparison.is_met for comparison in comparisons) or (
            self._rig.timer_lateness_ns().longest_ns <= TIMER_LATENESS_NS_MAX
        )

    def _measure(self, case: FaultCase) -> tuple[CaseRun, list[Noise]]:
        if case.kind not in CONTROLLED:
            reading, noise = self._rig.measure(case)
            return CaseRun(reading=reading), [noise]
        before = self._control(case)
        measurement = self._rig.measure(case)
        self._latest = None
        after = self._control(case)
        reading, noise = measurement
        case_run = CaseRun(reading=reading, controls=(before[0], after[0]))
        return case_run, [before[1], noise, after[1]]

    def _control(self, case: FaultCase) -> tuple[Reading, Noise]:
        """Return the control of a case, measured now unless the last one is equal."""
        control = replace(case, name="control", kind=Kind.DELAY, faults=NONE)
        if case.kind in OBSERVED:
            control = replace(control, kind=case.kind)
        if self._latest is None or self._latest[0] != control:
            measurement = self._rig.measure(control)
            self._latest = (control, measurement)
        return self._latest[1]


def correct_verdicts(seen: int, expected: int) -> ExpectedMetric:
    """Compare the number of correct verdicts; other load explains a wrong one."""
    return ExpectedMetric(
        metric="correct", seen=seen, expected=expected, noise_takes=inf
    )


def describe_verdict(found: Verdict) -> str:
    """Describe a verdict's evidence and the head-room up to the next bottleneck."""
    room = found.head_room
    if room is None:
        return found.evidence
    factor = f"{room.factor:,.0f}" if room.factor >= 100 else f"{room.factor:.2g}"
    return f"{found.evidence} Head-room: {factor}× ({room.bottleneck.value})."


def summarize(outcomes: list[FaultOutcome]) -> FaultVerdict:
    """Return the worst verdict: ``FAIL``, then ``DISTURBED``, then ``PASS``."""
    verdicts = {outcome.verdict for outcome in outcomes if not outcome.is_left_out}
    for verdict in (FaultVerdict.FAIL, FaultVerdict.DISTURBED):
        if verdict in verdicts:
            return verdict
    return FaultVerdict.PASS
