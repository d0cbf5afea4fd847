"""The cold start of a push: the time of its first messages."""

from autostrada.report.results import Outcome
from autostrada.stats.metrics import METRICS

STEADY = METRICS["steady_ns_per_message"]
"""Time per message of a push after its warm-up."""

COLD = {1_000_000: METRICS["ms_per_million"], 100_000: METRICS["ms_per_100k"]}
"""Time of a push from its start until so many messages were processed."""

LABELS = {1_000_000: "1M", 100_000: "100k"}


def cold_messages(outcome: Outcome) -> int | None:
    """
    Return the largest number of messages whose time is known in every trial.

    A push for a time reaches a million messages in some trials of a slow client only.
    The result is ``None`` if no number has a time in every trial.
    """
    for messages, metric in COLD.items():
        sampled = outcome.metrics.get(metric.name)
        if sampled and len(sampled.values) == outcome.measured:
            return messages
    return None
