"""
Runs fault cases, and repeats those that the machine disturbed.

Other load can make a right figure look wrong, and never a wrong one right. So a case
fails only by figures that other load does not explain; while it goes on, a case is
repeated, and left unjudged when the time for repetitions is over.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf
from typing import Protocol

from autostrada.calibration.bottlenecks.cases import KnownBottleneck
from autostrada.calibration.disturbance import disturbance
from autostrada.calibration.fault_cases import CONTROLLED, NONE, FaultCase, Kind
from autostrada.calibration.judgement import CaseRun, Comparison, Evidence, judge
from autostrada.machine.noise import Noise, is_idle

NOISY_FIT = 0.5
"""A measurement that fits on a disturbed machine counts for so much of one."""


class Verdict(StrEnum):
    """What came of a case, or of a calibration."""

    PASS = "pass"
    FAIL = "fail"
    DISTURBED = "disturbed"


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """A case and what came of it; of one that was disturbed there are no figures."""

    case: FaultCase | KnownBottleneck
    verdict: Verdict
    comparisons: tuple[Comparison, ...]
    reason: str
    """How the last attempt was disturbed, or judged wrongly, or ``""``."""

    attempts: int
    note: str = ""
    """What was said of the last trial of a known bottleneck."""

    is_left_out: bool = False
    """It takes what this machine has not: neither shown nor disturbed."""


class Measuring(Protocol):
    """Measures a case once: a ``Rig``, or what stands for it in a test."""

    def measure(
        self, case: FaultCase, *, is_healthy: bool = False
    ) -> tuple[Evidence, Noise]:
        """Measure a case, or its control."""


class Poll:
    """
    Decides by measurements: the first that fits, or two of three.

    What is counted is decided by one where the host is idle. Elsewhere, and of
    durations always, two that other load does not explain are needed to fail.
    """

    def __init__(self, *, is_timed: bool) -> None:
        self._is_timed = is_timed
        self._fits = 0.0
        self._misfits = 0
        self.comparisons: tuple[Comparison, ...] = ()
        """Of the measurement that was taken into account last."""

        self.verdict: Verdict | None = None
        """What is decided, or ``None``."""

    def add(
        self,
        comparisons: tuple[Comparison, ...],
        *,
        is_disturbed: bool,
        is_host_idle: bool,
    ) -> None:
        """Take a measurement into account."""
        if all(each.is_met for each in comparisons):
            self._fits += NOISY_FIT if is_disturbed else 1
        elif is_disturbed or (
            not is_host_idle and all(each.may_be_noise for each in comparisons)
        ):
            return
        else:
            self._misfits += 1
        self.comparisons = comparisons
        if self._fits >= (2 if self._misfits else 1):
            self.verdict = Verdict.PASS
        elif self._misfits == (2 if self._is_timed or not is_host_idle else 1):
            self.verdict = Verdict.FAIL


@dataclass(slots=True)
class Pending:
    """A case that is not decided yet."""

    case: FaultCase
    poll: Poll
    attempts: int = 0
    reason: str = ""
    """Why the last measurement decided nothing."""

    def outcome(self) -> Outcome:
        """Return what came of it."""
        verdict = self.poll.verdict
        return Outcome(
            case=self.case,
            verdict=verdict or Verdict.DISTURBED,
            comparisons=self.poll.comparisons if verdict else (),
            reason="" if verdict else self.reason or "no time was left",
            attempts=self.attempts,
        )


class Budget:
    """The time that measurements may take; none is begun when it is over."""

    def __init__(
        self,
        *,
        repeats_s: float,
        total_s: float = inf,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """``repeats_s`` is for repetitions alone, ``total_s`` for all that is done."""
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
        """Take the time that a repetition needs off what there is for them."""
        begun_s = self._clock_s()
        yield
        self._repeats_s -= self._clock_s() - begun_s


class Session:
    """Runs cases; a control that was just measured serves the next case as well."""

    def __init__(
        self, rig: Measuring, idle_wait: Callable[[], object], budget: Budget
    ) -> None:
        self._rig = rig
        self._wait_until_idle = idle_wait
        self._budget = budget
        self._noises: list[Noise] = []
        self._latest: tuple[FaultCase, tuple[Evidence, Noise]] | None = None

    def run(self, cases: Sequence[FaultCase]) -> Iterator[Outcome]:
        """
        Run each case once, then again those that are not decided; yield what is.

        Raises:
            EngineError: one of the processes fails.
        """
        pending = [Pending(case, Poll(is_timed=case.is_timed)) for case in cases]
        while pending:
            undecided = []
            for each in pending:
                is_repeat = each.attempts > 0
                if not self._budget.allows(is_repeat=is_repeat):
                    yield each.outcome()
                    continue
                with self._budget.repetition() if is_repeat else nullcontext():
                    self._attempt(each)
                if each.poll.verdict is None:
                    undecided.append(each)
                else:
                    yield each.outcome()
            pending = undecided

    def _attempt(self, pending: Pending) -> None:
        """Measure once more."""
        case = pending.case
        if pending.attempts:
            self._latest = None
            self._wait_until_idle()
        pending.attempts += 1
        case_run, noises = self._measure(case)
        self._noises += noises
        reason = disturbance(case, case_run, noises)
        comparisons = tuple(judge(case, case_run))
        pending.poll.add(
            comparisons,
            is_disturbed=reason is not None,
            is_host_idle=is_idle(self._noises),
        )
        if pending.poll.verdict is None:
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

    def _control(self, case: FaultCase) -> tuple[Evidence, Noise]:
        """Measure the same without its fault, unless that has just been done."""
        control = replace(case, name="control", kind=Kind.DELAY, faults=NONE)
        if case.kind is Kind.GROW:
            control = replace(control, kind=Kind.GROW)
        if self._latest is None or self._latest[0] != control:
            measured = self._rig.measure(control, is_healthy=True)
            self._latest = (control, measured)
        return self._latest[1]


def summarize(outcomes: list[Outcome]) -> Verdict:
    """Return what came of all: one failure fails, one disturbance leaves it open."""
    verdicts = {outcome.verdict for outcome in outcomes if not outcome.is_left_out}
    for verdict in (Verdict.FAIL, Verdict.DISTURBED):
        if verdict in verdicts:
            return verdict
    return Verdict.PASS
