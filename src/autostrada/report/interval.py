"""How the bounds around a median are written, and what they mean."""

from autostrada.report import figures, number
from autostrada.stats.figures import Figure
from autostrada.stats.interval import CONFIDENCE_MIN, Interval, median_interval


def usual_confidence(repetitions: int) -> float:
    """Return what the interval of a cell attains in which nothing failed."""
    return median_interval(range(repetitions)).confidence


def interval_note(repetitions: int) -> str:
    """Explain what the bounds around a median are and how sure they are."""
    attained = usual_confidence(repetitions)
    if not attained:
        return "One repetition gives no interval."
    samples = number.count(repetitions, "repetition")
    if attained < CONFIDENCE_MIN:
        return (
            f"An interval is the range of the {samples}: it holds the true median "
            f"with {number.confidence(attained)} confidence, the most that so few can "
            f"give."
        )
    return (
        f"An interval is the narrowest one between two of the {samples} that holds "
        f"the true median with at least {number.percent(CONFIDENCE_MIN)} confidence: "
        f"with {number.confidence(attained)}."
    )


def interval_detail(interval: Interval, usual: float, figure: Figure) -> str:
    """Write the bounds of a figure, and their confidence where that is unusual."""
    if not interval.confidence:
        return ""
    bounds = figures.bounds(figure, interval)
    if interval.confidence == usual:
        return bounds
    return f"{bounds} at {number.confidence(interval.confidence)}"
