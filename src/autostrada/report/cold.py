"""The cold start of a push: the time of its first messages."""

from autostrada.report import number
from autostrada.report.results import Outcome
from autostrada.stats.metrics import METRICS

COLD = {1_000_000: METRICS["ms_per_million"], 100_000: METRICS["ms_per_100k"]}
"""Time of a push from its start until so many messages were processed."""

LABELS = {1_000_000: "1M", 100_000: "100k"}

READ_AHEAD_SHARE_MAX = 0.01
"""Share of the cold messages up to which reading ahead is not mentioned."""


def cold_messages(outcome: Outcome) -> int | None:
    """
    Return the largest number of messages whose time is known in every trial.

    The result is ``None`` if no number has a time in every trial.
    """
    for messages, metric in COLD.items():
        sampled = outcome.metrics.get(metric.name)
        if sampled and len(sampled.values) == outcome.measured:
            return messages
    return None


def read_ahead_note(outcome: Outcome) -> str:
    """Say how far the library reads ahead; empty up to 1 % of the cold messages."""
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
