"""
Runs fault cases, and repeats those that the machine disturbed.

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
from typing import Protocol

from autostrada.calibration.bottlenecks.cases import KnownBottleneck
from autostrada.calibration.comparison import ExpectedMetric
from autostrada.calibration.disturbance import disturbance
from autostrada.calibration.expectation import CaseEvidence, CaseRun, compare
from autostrada.calibration.fault_cases import (
    CONTROLLED,
    NONE,
    OBSERVED,
    FaultCase,
    Kind,
)
from autostrada.calibration.network import NoNetworkError
from autostrada.machine.noise import Noise, is_idle

DISTURBED_WEIGHT = 0.5
"""Weight of a measurement that is as expected, but was made on a disturbed machine."""


class FaultVerdict(StrEnum):
    """The verdict on a case or on a whole calibration."""

    PASS = "pass"
    FAIL = "fail"
    DISTURBED = "disturbed"


@dataclass(frozen=True, kw_only=True, slots=True)
class FaultOutcome:
    """The outcome of a case."""

    case: FaultCase | KnownBottleneck
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


class Measurer(Protocol):
    """Measures a case once; implemented by ``Rig``."""

    def measure(
        self, case: FaultCase, *, is_healthy: bool = False
    ) -> tuple[CaseEvidence, Noise]:
        """Measure a case, or with ``is_healthy`` its control."""


class CaseDecision:
    """
    Decides on a case from its measurements.

    A case passes with the first measurement that is as expected, or with two after one
    that was not. It fails with two that are not as expected and that other load does
    not explain. On an idle host, one suffices for a case that only counts.
    """

    def __init__(self, *, is_counted: bool) -> None:
        self._is_counted = is_counted
        self._matches = 0.0
        self._mismatches = 0
        self.comparisons: tuple[ExpectedMetric, ...] = ()
        """The comparisons of the last measurement that counted."""

        self.verdict: FaultVerdict | None = None
        """The verdict, or ``None`` if the case is undecided."""

    def add(
        self,
        comparisons: tuple[ExpectedMetric, ...],
        *,
        is_disturbed: bool,
        is_host_idle: bool,
    ) -> None:
        """Add a measurement; it counts unless noise may explain its result."""
        if all(comparison.is_met for comparison in comparisons):
            self._matches += DISTURBED_WEIGHT if is_disturbed else 1
        elif any(comparison.is_beyond_noise for comparison in comparisons) or not (
            is_disturbed
            or (
                not is_host_idle
                and all(comparison.may_be_noise for comparison in comparisons)
            )
        ):
            self._mismatches += 1
        else:
            return
        self.comparisons = comparisons
        if self._matches >= (2 if self._mismatches else 1):
            self.verdict = FaultVerdict.PASS
        elif self._mismatches == (1 if self._is_counted and is_host_idle else 2):
            self.verdict = FaultVerdict.FAIL


@dataclass(slots=True)
class Pending:
    """An undecided case."""

    case: FaultCase
    decision: CaseDecision
    attempts: int = 0
    reason: str = ""
    """Why the last measurement did not decide the case."""

    def outcome(self) -> FaultOutcome:
        """Return the outcome; an undecided case counts as disturbed."""
        verdict = self.decision.verdict
        return FaultOutcome(
            case=self.case,
            verdict=verdict or FaultVerdict.DISTURBED,
            comparisons=self.decision.comparisons if verdict else (),
            reason="" if verdict else self.reason or "no time was left",
            attempts=self.attempts,
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
        self, rig: Measurer, idle_wait: Callable[[], object], budget: Budget
    ) -> None:
        self._rig = rig
        self._wait_until_idle = idle_wait
        self._budget = budget
        self._noises: list[Noise] = []
        self._latest: tuple[FaultCase, tuple[CaseEvidence, Noise]] | None = None

    def run(self, cases: Sequence[FaultCase]) -> Iterator[FaultOutcome]:
        """
        Run each case once, then repeat undecided ones; yield each final outcome.

        Raises:
            EngineError: a process fails.
        """
        pending = [
            Pending(case, CaseDecision(is_counted=case.is_counted)) for case in cases
        ]
        while pending:
            undecided = []
            for case_run in pending:
                is_repeat = case_run.attempts > 0
                if not self._budget.allows(is_repeat=is_repeat):
                    yield case_run.outcome()
                    continue
                try:
                    with self._budget.repetition() if is_repeat else nullcontext():
                        self._attempt(case_run)
                except NoNetworkError as error:
                    case_run.reason = f"not calibrated: {error}"
                    yield replace(case_run.outcome(), is_left_out=True)
                    continue
                if case_run.decision.verdict is None:
                    undecided.append(case_run)
                else:
                    yield case_run.outcome()
            pending = undecided

    def _attempt(self, pending: Pending) -> None:
        """Measure a case once more, and add the measurement to its decision."""
        case = pending.case
        if pending.attempts:
            self._latest = None
            self._wait_until_idle()
        pending.attempts += 1
        case_run, noises = self._measure(case)
        self._noises += noises
        reason = disturbance(case, case_run, noises)
        comparisons = tuple(compare(case, case_run))
        pending.decision.add(
            comparisons,
            is_disturbed=reason is not None,
            is_host_idle=is_idle(self._noises) and is_idle(noises),
        )
        if pending.decision.verdict is None:
            pending.reason = reason or "other load may explain the difference"

    def _measure(self, case: FaultCase) -> tuple[CaseRun, list[Noise]]:
        if case.kind not in CONTROLLED:
            evidence, noise = self._rig.measure(case)
            return CaseRun(evidence=evidence), [noise]
        before = self._control(case)
        measured = self._rig.measure(case)
        self._latest = None
        after = self._control(case)
        (evidence, noise) = measured
        case_run = CaseRun(evidence=evidence, controls=(before[0], after[0]))
        return case_run, [before[1], noise, after[1]]

    def _control(self, case: FaultCase) -> tuple[CaseEvidence, Noise]:
        """Return the control of a case, measured now unless the last one is equal."""
        control = replace(case, name="control", kind=Kind.DELAY, faults=NONE)
        if case.kind in OBSERVED:
            control = replace(control, kind=case.kind)
        if self._latest is None or self._latest[0] != control:
            measured = self._rig.measure(control, is_healthy=True)
            self._latest = (control, measured)
        return self._latest[1]


def summarize(outcomes: list[FaultOutcome]) -> FaultVerdict:
    """Return the worst verdict: ``FAIL``, then ``DISTURBED``, then ``PASS``."""
    verdicts = {outcome.verdict for outcome in outcomes if not outcome.is_left_out}
    for verdict in (FaultVerdict.FAIL, FaultVerdict.DISTURBED):
        if verdict in verdicts:
            return verdict
    return FaultVerdict.PASS
