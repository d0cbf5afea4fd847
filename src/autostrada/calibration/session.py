"""One case after another: measured again where the machine was disturbed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from autostrada.calibration.bottlenecks.cases import KnownBottleneck
from autostrada.calibration.disturbance import disturbance
from autostrada.calibration.fault_cases import CONTROLLED, NONE, FaultCase, Kind
from autostrada.calibration.judgement import CaseRun, Comparison, Evidence, judge
from autostrada.machine.noise import Noise

ATTEMPTS_MAX = 5
REPEATS_MAX = 40
"""Of all cases together: on a machine that is never quiet it ends all the same."""


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
    Decides by undisturbed measurements: the first, or two of three.

    What is counted is decided by one. A duration that is not as expected is measured
    again: not all that disturbs is seen.
    """

    def __init__(self, *, is_timed: bool) -> None:
        self._needed = 2 if is_timed else 1
        self._taken: list[tuple[Comparison, ...]] = []
        self.verdict: Verdict | None = None
        """What is decided, or ``None``."""

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """The last measurement: it has decided."""
        return self._taken[-1]

    def add(self, comparisons: tuple[Comparison, ...]) -> None:
        """Take a measurement into account."""
        self._taken.append(comparisons)
        met = sum(all(each.is_met for each in taken) for taken in self._taken)
        unmet = len(self._taken) - met
        if met == len(self._taken) or met == self._needed:
            self.verdict = Verdict.PASS
        elif unmet == self._needed:
            self.verdict = Verdict.FAIL


class Session:
    """Weighs; a control that was just measured serves the next case as well."""

    def __init__(self, rig: Measuring) -> None:
        self._rig = rig
        self._repeats_left = REPEATS_MAX
        self._latest: tuple[FaultCase, tuple[Evidence, Noise]] | None = None

    def run_case(
        self, case: FaultCase, *, announce: Callable[[str], None] = lambda _: None
    ) -> Outcome:
        """
        Measure a case until the machine was quiet, and judge it.

        Raises:
            EngineError: one of the processes fails.
        """
        poll = Poll(is_timed=case.is_timed)
        attempt = 1
        while True:
            case_run, noises = self._put_on(case)
            reason = disturbance(case, case_run, noises) or ""
            if not reason:
                poll.add(tuple(judge(case, case_run)))
                if poll.verdict is not None:
                    return Outcome(
                        case=case,
                        verdict=poll.verdict,
                        comparisons=poll.comparisons,
                        reason="",
                        attempts=attempt,
                    )
                reason = "measurements differ"
            self._latest = None
            announce(f"{case.name}: {reason}")
            if attempt == ATTEMPTS_MAX or self._repeats_left == 0:
                return Outcome(
                    case=case,
                    verdict=Verdict.DISTURBED,
                    comparisons=(),
                    reason=reason,
                    attempts=attempt,
                )
            attempt += 1
            self._repeats_left -= 1

    def _put_on(self, case: FaultCase) -> tuple[CaseRun, list[Noise]]:
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
