"""Notes on the cold and the steady rate of pushes."""

from autostrada.report import number
from autostrada.report.ranking import COLD_RATIO_MAX, Ranking
from autostrada.report.results import Outcome
from autostrada.report.text import listed


def cold_note(ranking: Ranking) -> str:
    """
    Name the cells whose cold rate differs from the steady one; empty without any.

    Cells that are not yet steady are named apart.
    """
    if not ranking.is_by_steady_rate:
        return ""
    differing = [
        f"{each.name} {number.times(each.cold_ratio)}"
        for each in ranking.every
        if each.has_other_cold_rate and each.cold_ratio
    ]
    unsteady = [each.name for each in ranking.every if each.is_unsteady]
    sentences = []
    if differing:
        sentences.append(
            f"Time per message from the cold start on, as a multiple of the steady "
            f"time, where they differ by more than "
            f"{number.percent(COLD_RATIO_MAX - 1)}: {listed(differing)}."
        )
    if unsteady:
        sentences.append(f"Not yet steady: {listed(unsteady)}.")
    return " ".join(sentences)


def unsteady_note(outcome: Outcome) -> str:
    """Count the repetitions whose rate did not become steady; empty if all did."""
    steady = outcome.figures.get("rate_is_steady")
    unsteady = steady.values.count(0.0) if steady else 0
    if not steady or not unsteady:
        return ""
    repetitions = number.count(len(steady.values), "repetition")
    return f"In {unsteady} of {repetitions} the rate did not become steady."
