"""Repeats trials of a known bottleneck until enough of them were undisturbed."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace

from autostrada.calibration.bottlenecks.cases import KnownBottleneck
from autostrada.calibration.comparison import ExpectedMetric
from autostrada.calibration.network import NoNetworkError
from autostrada.calibration.session import (
    DISTURBED_WEIGHT,
    Budget,
    FaultOutcome,
    FaultVerdict,
)
from autostrada.machine.noise import Noise, is_idle
from autostrada.stats import verdict
from autostrada.stats.evidence import Evidence
from autostrada.stats.verdict import Bottleneck

REPEATS_MIN = 4
"""Number of disturbed trials that are permitted, or the number of trials if that is
larger."""

ON_ANY_MACHINE = frozenset({Bottleneck.BROKEN, Bottleneck.MACHINE})
"""Bottlenecks that do not depend on other load of the machine."""

Run = Callable[[KnownBottleneck], tuple[Evidence, Noise]]
"""Runs one trial and returns its evidence and the other load."""


@dataclass(slots=True)
class Count:
    """The results so far of the trials of one known bottleneck."""

    attempts: int = 0
    """Number of trials."""

    right: float = 0
    """Correct verdicts; one in a disturbed trial counts ``DISTURBED_WEIGHT``."""

    disturbed: int = 0
    """Number of disturbed trials."""

    reason: str = ""
    """Disturbance of the last disturbed trial."""

    note: str = ""
    """Explanation of the last trial's verdict."""

    wrong: str = ""
    """Description of a wrong verdict; ``""`` if there was none."""


class BottleneckSession:
    """Runs each trial with a known bottleneck equally often, on an idle machine."""

    def __init__(
        self, run: Run, idle_wait: Callable[[], object], budget: Budget, *, trials: int
    ) -> None:
        self._run = run
        self._wait_until_idle = idle_wait
        self._budget = budget
        self._trials = trials

    def run(self, known: KnownBottleneck) -> FaultOutcome:
        """
        Run trials until enough verdicts were correct, or one was wrong.

        A disturbed trial counts as one half if its verdict is correct, otherwise it
        does not count. A wrong verdict without other load ends the trials.

        Raises:
            EngineError: a process fails.
        """
        count = Count()
        try:
            while count.right < self._trials and not count.wrong:
                with self._budget.repetition() if count.disturbed else nullcontext():
                    self._wait_until_idle()
                    evidence, noise = self._run(known)
                disturbance = (
                    "" if known.bottleneck in ON_ANY_MACHINE else (evidence.disturbance)
                )
                if disturbance:
                    evidence = replace(evidence, disturbance="")
                _add_trial(known, verdict.classify(evidence), count, disturbance, noise)
                if not self._may_continue(count):
                    return _open(known, count)
        except NoNetworkError as error:
            outcome = _open(known, count, f"not calibrated: {error}")
            return replace(outcome, is_left_out=True)
        correct = ExpectedMetric(
            metric="correct", seen=int(count.right), expected=self._trials
        )
        return FaultOutcome(
            case=known,
            verdict=FaultVerdict.FAIL if count.wrong else FaultVerdict.PASS,
            comparisons=(correct,),
            reason=count.wrong,
            attempts=count.attempts,
            note=count.note,
        )

    def _may_continue(self, count: Count) -> bool:
        """Whether no further trial is needed, or the limits permit one."""
        disturbed_max = max(REPEATS_MIN, self._trials)
        is_repeat = count.disturbed > 0
        return count.right >= self._trials or (
            count.disturbed <= disturbed_max
            and self._budget.allows(is_repeat=is_repeat)
        )


def _add_trial(
    known: KnownBottleneck,
    found: verdict.Verdict,
    count: Count,
    disturbance: str,
    noise: Noise,
) -> None:
    """Add one trial to the count."""
    count.attempts += 1
    count.note = describe_verdict(found)
    is_right = found.bottleneck is known.bottleneck
    if is_right and not disturbance:
        count.right += 1
    elif disturbance or not is_idle([noise]):
        count.right += DISTURBED_WEIGHT if is_right else 0
        count.disturbed += 1
        count.reason = disturbance or "other load on the machine"
    else:
        count.wrong = f"classified as {found.bottleneck.value}"


def describe_verdict(found: verdict.Verdict) -> str:
    """Describe a verdict's evidence and the head-room up to the next bottleneck."""
    room = found.head_room
    if room is None:
        return found.evidence
    next_one = f"{_factor(room.factor)}× ({room.bottleneck.value})"
    return f"{found.evidence} Head-room: {next_one}."


def _open(known: KnownBottleneck, count: Count, reason: str = "") -> FaultOutcome:
    """Return the outcome of trials that were too few for a decision."""
    return FaultOutcome(
        case=known,
        verdict=FaultVerdict.DISTURBED,
        comparisons=(),
        reason=reason or count.reason,
        attempts=count.attempts,
        note=count.note,
    )


def _factor(factor: float) -> str:
    return f"{factor:,.0f}" if factor >= 100 else f"{factor:.2g}"
