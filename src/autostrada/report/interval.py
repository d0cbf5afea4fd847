"""Notation and explanation of the confidence interval around a median."""

from autostrada.report import metrics, number
from autostrada.stats.interval import CONFIDENCE_MIN, Interval, median_interval
from autostrada.stats.metrics import Metric


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


def interval_detail(interval: Interval, usual: float, metric: Metric) -> str:
    """
    Format the bounds of a metric.

    The confidence is added if it differs from ``usual``. The text is empty if the
    interval has no confidence.
    """
    if not interval.confidence:
        return ""
    bounds = metrics.bounds(metric, interval)
    if interval.confidence == usual:
        return bounds
    return f"{bounds} at {number.confidence(interval.confidence)}"
