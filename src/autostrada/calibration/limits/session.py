"""One known limit tried until it was judged often enough on a quiet machine."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from autostrada.calibration.judgement import Comparison
from autostrada.calibration.limits.known import KnownLimit
from autostrada.calibration.limits.network import NoNetworkError
from autostrada.calibration.session import Outcome, Verdict
from autostrada.stats import verdict
from autostrada.stats.evidence import Evidence
from autostrada.stats.verdict import Limit

REPEATS_MIN = 4
"""Of few trials so many may be repeated; of more, as many as there are."""

Run = Callable[[KnownLimit], Evidence]
"""Runs one trial, or is what stands for that in a test."""


@dataclass(slots=True)
class Count:
    """What the trials of one known limit have come to so far."""

    right: int = 0
    disturbed: int = 0
    said: str = ""
    """What was said of the trial that is to be shown."""

    wrong: str = ""
    """As what one was judged that was judged wrongly."""


def try_limit(known: KnownLimit, trials: int, run: Run) -> Outcome:
    """
    Try it until so many trials were judged, and compare what was said of each.

    One that the machine has disturbed is repeated; one that is judged wrongly ends it.

    Raises:
        EngineError: one of the processes fails.
    """
    count = Count()
    disturbed_max = max(REPEATS_MIN, trials)
    try:
        while count.right < trials and not count.wrong:
            _take(known, verdict.judge(run(known)), count)
            if count.disturbed > disturbed_max:
                return _open(known, count, "the machine was not quiet")
    except NoNetworkError as error:
        outcome = _open(known, count, f"not calibrated: {error}")
        return replace(outcome, is_left_out=True)
    return Outcome(
        weight=known,
        verdict=Verdict.FAIL if count.wrong else Verdict.PASS,
        comparisons=(
            Comparison(figure="judged_right", seen=count.right, expected=trials),
        ),
        reason=count.wrong,
        attempts=_attempts(count),
        note=count.said,
    )


def _take(known: KnownLimit, judged: verdict.Verdict, count: Count) -> None:
    is_right = judged.limit is known.limit
    if judged.limit is Limit.MACHINE and not is_right:
        count.disturbed += 1
        return
    count.said = in_words(judged)
    if is_right:
        count.right += 1
    else:
        count.wrong = f"judged as {judged.limit.value}"


def in_words(judged: verdict.Verdict) -> str:
    """Say what a verdict rests on, and how much more the next limit would allow."""
    room = judged.head_room
    if room is None:
        return judged.evidence
    return f"{judged.evidence} Head-room: {room.factor:.3g}× ({room.limit.value})."


def _open(known: KnownLimit, count: Count, reason: str) -> Outcome:
    """Return what came of trials that are too few to decide."""
    return Outcome(
        weight=known,
        verdict=Verdict.DISTURBED,
        comparisons=(),
        reason=reason,
        attempts=_attempts(count),
        note=count.said,
    )


def _attempts(count: Count) -> int:
    return count.right + count.disturbed + bool(count.wrong)
