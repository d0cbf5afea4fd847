"""One known bottleneck tried until it was judged often enough on a quiet machine."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace

from autostrada.calibration.bottlenecks.cases import KnownBottleneck
from autostrada.calibration.bottlenecks.network import NoNetworkError
from autostrada.calibration.judgement import Comparison
from autostrada.calibration.session import NOISY_FIT, Budget, Outcome, Verdict
from autostrada.machine.noise import Noise, is_idle
from autostrada.stats import verdict
from autostrada.stats.evidence import Evidence
from autostrada.stats.verdict import Bottleneck

REPEATS_MIN = 4
"""Of few trials so many may be repeated; of more, as many as there are."""

ON_ANY_MACHINE = frozenset({Bottleneck.BROKEN, Bottleneck.MACHINE})
"""Bottlenecks that are there whatever else the machine does."""

Run = Callable[[KnownBottleneck], tuple[Evidence, Noise]]
"""Runs one trial, or is what stands for that in a test."""


@dataclass(slots=True)
class Count:
    """What the trials of one known bottleneck have come to so far."""

    attempts: int = 0
    right: float = 0
    """One that was disturbed counts for less."""

    disturbed: int = 0
    reason: str = ""
    """What disturbed the last one that was."""

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

        One that the machine has disturbed counts for half if the verdict is right in
        spite of that, else for nothing. A wrong verdict ends it where there was no
        other load.

        Raises:
            EngineError: one of the processes fails.
        """
        count = Count()
        try:
            while count.right < self._trials and not count.wrong:
                with self._budget.repetition() if count.disturbed else nullcontext():
                    self._wait_until_idle()
                    seen, noise = self._run(known)
                disturbance = (
                    "" if known.bottleneck in ON_ANY_MACHINE else (seen.disturbance)
                )
                if disturbance:
                    seen = replace(seen, disturbance="")
                _take(known, verdict.judge(seen), count, disturbance, noise)
                if not self._may_go_on(count):
                    return _open(known, count)
        except NoNetworkError as error:
            outcome = _open(known, count, f"not calibrated: {error}")
            return replace(outcome, is_left_out=True)
        judged_right = Comparison(
            figure="judged_right", seen=int(count.right), expected=self._trials
        )
        return Outcome(
            case=known,
            verdict=Verdict.FAIL if count.wrong else Verdict.PASS,
            comparisons=(judged_right,),
            reason=count.wrong,
            attempts=count.attempts,
            note=count.said,
        )

    def _may_go_on(self, count: Count) -> bool:
        """Whether another trial may follow, if one is needed."""
        disturbed_max = max(REPEATS_MIN, self._trials)
        is_repeat = count.disturbed > 0
        return count.right >= self._trials or (
            count.disturbed <= disturbed_max
            and self._budget.allows(is_repeat=is_repeat)
        )


def _take(
    known: KnownBottleneck,
    judged: verdict.Verdict,
    count: Count,
    disturbance: str,
    noise: Noise,
) -> None:
    """Take one trial into account."""
    count.attempts += 1
    count.said = in_words(judged)
    is_right = judged.bottleneck is known.bottleneck
    if is_right and not disturbance:
        count.right += 1
    elif disturbance or not is_idle([noise]):
        count.right += NOISY_FIT if is_right else 0
        count.disturbed += 1
        count.reason = disturbance or "other load on the machine"
    else:
        count.wrong = f"judged as {judged.bottleneck.value}"


def in_words(judged: verdict.Verdict) -> str:
    """Say what a verdict rests on, and the head-room up to the next bottleneck."""
    room = judged.head_room
    if room is None:
        return judged.evidence
    next_one = f"{_factor(room.factor)}× ({room.bottleneck.value})"
    return f"{judged.evidence} Head-room: {next_one}."


def _open(known: KnownBottleneck, count: Count, reason: str = "") -> Outcome:
    """Return what came of trials that are too few to decide."""
    return Outcome(
        case=known,
        verdict=Verdict.DISTURBED,
        comparisons=(),
        reason=reason or count.reason,
        attempts=count.attempts,
        note=count.said,
    )


def _factor(factor: float) -> str:
    return f"{factor:,.0f}" if factor >= 100 else f"{factor:.2g}"
