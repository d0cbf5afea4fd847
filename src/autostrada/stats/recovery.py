"""Whether and when a server recovers after an overload, by the seconds of a load."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autostrada.stats.buckets import Buckets

_QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999, "max": 1.0}
_LIMIT = re.compile(r"\s*([\w.]+)\s*(?:<=|<)\s*(\d+(?:\.\d+)?)\s*(us|ms|s|%)\s*")
_FACTORS = {"us": 1e3, "ms": 1e6, "s": 1e9, "%": 0.01}


@dataclass(frozen=True, kw_only=True, slots=True)
class SecondLimit:
    """The part of an objective that a second can meet: a time, or failures."""

    metric: str
    limit: float
    """Nanoseconds, or failures as a share of messages and failures."""

    def is_met(self, second: Mapping[str, Any]) -> bool:
        """Whether a second meets it; one without any answer does not."""
        answered = Buckets(second["response_time_ns"])
        if not answered.count:
            return False
        if self.metric == "errors":
            failures: int = second["failures"]
            messages: int = second["messages"]
            return failures / (messages + failures) <= self.limit
        return answered.quantile_ns(_QUANTILES[self.metric]) <= self.limit


def second_limits(objective: str) -> list[SecondLimit]:
    """Return what a second can meet of an objective such as ``p99<50ms,rate>1k``."""
    limits = []
    for part in objective.split(","):
        found = _LIMIT.fullmatch(part)
        if found is None or (found[1] not in _QUANTILES and found[1] != "errors"):
            continue
        limits.append(
            SecondLimit(metric=found[1], limit=float(found[2]) * _FACTORS[found[3]])
        )
    return limits


def seconds_to_recover(
    seconds: Sequence[Mapping[str, Any]], limits: Sequence[SecondLimit], ended_s: float
) -> int | None:
    """
    Return after how many seconds an objective is met for good.

    ``seconds`` are the lines of a load that goes on after an overload has ended
    ``ended_s`` after its start, the last one of which is incomplete and left out. The
    result is ``None`` if the last complete second does not meet the objective.
    """
    complete = seconds[:-1]
    not_met = [
        index
        for index, second in enumerate(complete)
        if not all(limit.is_met(second) for limit in limits)
    ]
    first_met = not_met[-1] + 1 if not_met else 0
    if first_met >= len(complete):
        return None
    return max(0, round(first_met - ended_s))
