"""One known bottleneck tried until it was judged often enough on a quiet machine."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from autostrada.calibration.bottlenecks.cases import KnownBottleneck
from autostrada.calibration.bottlenecks.network import NoNetworkError
from autostrada.calibration.judgement import Comparison
from autostrada.calibration.session import Outcome, Verdict
from autostrada.stats import verdict
from autostrada.stats.evidence import Evidence
from autostrada.stats.verdict import Limit

REPEATS_MIN = 4
"""Of few trials so many may be repeated; of more, as many as there are."""

ON_ANY_MACHINE = frozenset({Limit.BROKEN, Limit.MACHINE})
"""Limits that are there whatever else the machine does."""

Run = Callable[[KnownBottleneck], Evidence]
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
        self,
        run: Run,
        idle_wait: Callable[[], object],
        *,
        trials: int,
        bottlenecks: int,
    ) -> None:
        self._run = run
        self._wait_until_idle = idle_wait
        self._trials = trials
        self._repeats_left = trials * bottlenecks

    def try_out(self, known: KnownBottleneck) -> Outcome:
        """
        Try it until enough trials were judged, and compare what was said of each.

        One that the machine has disturbed is repeated; one that is judged wrongly ends
        it.

        Raises:
            EngineError: one of the processes fails.
        """
        count = Count()
        try:
            while count.right < self._trials and not count.wrong:
                self._wait_until_idle()
                seen = self._run(known)
                if seen.disturbance and known.bottleneck not in ON_ANY_MACHINE:
                    if not self._may_repeat(count):
                        return _open(known, count, "the machine was not quiet")
                else:
                    _take(known, verdict.judge(seen), count)
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
        """Count a disturbed trial; return whether another one may follow."""
        count.disturbed += 1
        self._repeats_left -= 1
        disturbed_max = max(REPEATS_MIN, self._trials)
        return count.disturbed <= disturbed_max and self._repeats_left >= 0


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
