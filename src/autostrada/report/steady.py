"""Notes on the cold and the steady rate of pushes."""

from autostrada.report import number
from autostrada.report.cold import cold_messages
from autostrada.report.ranking import COLD_RATIO_MAX, Ranking
from autostrada.report.results import Outcome
from autostrada.report.text import listed

READ_AHEAD_SHARE_MAX = 0.01
"""Share of the cold messages up to which reading ahead is not mentioned."""


def cold_note(ranking: Ranking) -> str:
    """
    Name the cells whose cold rate differs from the steady one; empty without any.

    Cells that are not yet steady are named apart.
    """
    if not ranking.is_by_steady_rate:
        return ""
    differing = [
        f"{standing.name} {number.times(standing.cold_ratio)}"
        for standing in ranking.every
        if standing.has_other_cold_rate and standing.cold_ratio
    ]
    unsteady = [standing.name for standing in ranking.every if standing.is_unsteady]
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


def rate_note(outcome: Outcome) -> str:
    """
    Say why repetitions have no steady rate, and how far the library reads ahead.

    The text is empty if all have one, and the library reads at most 1 % of the cold
    messages ahead of its program.
    """
    return " ".join(filter(None, (_violation_note(outcome), _read_ahead(outcome))))


def _violation_note(outcome: Outcome) -> str:
    if not outcome.violations:
        return ""
    first, *others = outcome.violations
    count = len(outcome.violations)
    such = f"; {len(others)} more" if others else ""
    repetitions = number.count(outcome.measured, "repetition")
    return f"No steady rate in {count} of {repetitions}: {first}{such}."


def _read_ahead(outcome: Outcome) -> str:
    messages = cold_messages(outcome)
    ahead = outcome.metrics.get("read_ahead_messages")
    if messages is None or ahead is None:
        return ""
    median = ahead.interval.median
    if median <= READ_AHEAD_SHARE_MAX * messages:
        return ""
    return (
        f"When the library answered the last ping, its program had at most "
        f"{number.plain(median, 0)} messages still to receive, so the cold time is at "
        f"most {number.percent(median / messages, 1)} too short."
    )
