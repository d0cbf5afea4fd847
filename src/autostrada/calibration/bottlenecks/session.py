"""One known bottleneck tried until it was judged often enough on a quiet machine."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace

from autostrada.calibration.bottlenecks.cases import KnownBottleneck
from autostrada.calibration.bottlenecks.network import NoNetworkError
from autostrada.calibration.judgement import Comparison
from autostrada.calibration.session import Budget, Outcome, Verdict
from autostrada.machine.noise import Noise, is_idle
from autostrada.stats import verdict
from autostrada.stats.evidence import Evidence
from autostrada.stats.verdict import Limit

REPEATS_MIN = 4
"""Of few trials so many may be repeated; of more, as many as there are."""

ON_ANY_MACHINE = frozenset({Limit.BROKEN, Limit.MACHINE})
"""Limits that are there whatever else the machine does."""

Run = Callable[[KnownBottleneck], tuple[Evidence, Noise]]
"""Runs one trial, or is what stands for that in a test."""


@dataclass(slots=True)
class Count:
    """What the trials of one known bottleneck have come to so far."""

    right: int = 0
    disturbed: int = 0
    said: str = ""
    """What was said of the trial that is to be shown."""

    wrong: str = ""
    """As what one was judged that was judged wrongly."""


class BottleneckSession:
    """Runs each trial with a known bottleneck equally often, on an idle machine."""

    def __init__(
        self, run: Run, idle_wait: Callable[[], object], budget: Budget, *, trials: int
    ) -> None:
        self._run = run
        self._wait_until_idle = idle_wait
        self._budget = budget
        self._trials = trials

    def try_out(self, known: KnownBottleneck) -> Outcome:
        """
        Try it until enough trials were judged, and compare what was said of each.

        One that the machine has disturbed is repeated, and so is a wrong verdict where
        there was any other load; elsewhere a wrong verdict ends it.

        Raises:
            EngineError: one of the processes fails.
        """
        count = Count()
        try:
            while count.right < self._trials and not count.wrong:
                with self._budget.repetition() if count.disturbed else nullcontext():
                    self._wait_until_idle()
                    seen, noise = self._run(known)
                judged = verdict.judge(seen)
                is_right = judged.limit is known.bottleneck
                if _is_disturbed(known, seen) or not (is_right or is_idle([noise])):
                    count.disturbed += 1
                    if not self._may_repeat(count):
                        return _open(known, count, "other load on the machine")
                else:
                    _take(known, judged, count)
        except NoNetworkError as error:
            outcome = _open(known, count, f"not calibrated: {error}")
            return replace(outcome, is_left_out=True)
        judged_right = Comparison(
            figure="judged_right", seen=count.right, expected=self._trials
        )
        return Outcome(
            case=known,
            verdict=Verdict.FAIL if count.wrong else Verdict.PASS,
            comparisons=(judged_right,),
            reason=count.wrong,
            attempts=_attempts(count),
            note=count.said,
        )

    def _may_repeat(self, count: Count) -> bool:
        """Whether another trial may follow one that was disturbed."""
        disturbed_max = max(REPEATS_MIN, self._trials)
        return count.disturbed <= disturbed_max and self._budget.allows(is_repeat=True)


def _is_disturbed(known: KnownBottleneck, seen: Evidence) -> bool:
    return bool(seen.disturbance) and known.bottleneck not in ON_ANY_MACHINE


def _take(known: KnownBottleneck, judged: verdict.Verdict, count: Count) -> None:
    count.said = in_words(judged)
    if judged.limit is known.bottleneck:
        count.right += 1
    else:
        count.wrong = f"judged as {judged.limit.value}"


def in_words(judged: verdict.Verdict) -> str:
    """Say what a verdict rests on, and how much more the next limit would allow."""
    room = judged.head_room
    if room is None:
        return judged.evidence
    return f"{judged.evidence} Head-room: {_factor(room.factor)}× ({room.limit.value})."


def _open(known: KnownBottleneck, count: Count, reason: str) -> Outcome:
    """Return what came of trials that are too few to decide."""
    return Outcome(
        case=known,
        verdict=Verdict.DISTURBED,
        comparisons=(),
        reason=reason,
        attempts=_attempts(count),
        note=count.said,
    )


def _attempts(count: Count) -> int:
    return count.right + count.disturbed + bool(count.wrong)


def _factor(factor: float) -> str:
    return f"{factor:,.0f}" if factor >= 100 else f"{factor:.2g}"
