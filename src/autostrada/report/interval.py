"""Explanation of the confidence interval around a median."""

from autostrada.report import number
from autostrada.stats.interval import CONFIDENCE_MIN, median_interval


def usual_confidence(repetitions: int) -> float:
    """Return the confidence of a median's interval if no repetition failed."""
    return median_interval(range(repetitions)).confidence


def interval_note(repetitions: int) -> str:
    """Explain in one sentence what an interval is and which confidence it has."""
    attained = usual_confidence(repetitions)
    if not attained:
        return "One repetition gives no interval."
    samples = number.count(repetitions, "repetition")
    if attained < CONFIDENCE_MIN:
        return (
            f"An interval is the range of the {samples}: it contains the true median "
            f"with {number.confidence(attained)} confidence, the highest that so few "
            f"repetitions allow."
        )
    return (
        f"An interval lies between two of the {samples}: it is the narrowest one that "
        f"contains the true median with at least {number.percent(CONFIDENCE_MIN)} "
        f"confidence (here {number.confidence(attained)})."
    )
