"""Conditions under which loads have become worse: ``p99 > +5%``."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from autostrada.errors import UsageError
from autostrada.report.history import ComparedMetric
from autostrada.report.number import times
from autostrada.stats.change import Direction

_CONDITION = re.compile(r"([\w.-]+) *([<>]) *([+-]\d+(?:\.\d+)?) *%")


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadCondition:
    """A condition for failure: a metric's ratio of after to before exceeds a limit."""

    text: str
    metric: str
    relation: Direction
    limit: float
    """Limit of the ratio."""

    def failure(self, metrics: Sequence[ComparedMetric]) -> str:
        """
        Return why the loads fail; empty if they do not.

        Raises:
            UsageError: the loads do not have the metric, or are too few.
        """
        found = next((metric for metric in metrics if metric.name == self.metric), None)
        if found is None:
            known = ", ".join(metric.name for metric in metrics)
            raise UsageError(
                f"--fail-if {self.text!r}: these loads have no {self.metric}: choose "
                f"one of {known}"
            )
        if not found.is_decided:
            raise UsageError(
                f"--fail-if {self.text!r}: a change is told from chance by three loads "
                "of each name: load more often"
            )
        if found.change(self.limit).direction is not self.relation:
            return ""
        ratio = found.change().ratio
        return (
            f"{self.text}: {self.metric} is {times(ratio.value)} what it was "
            f"({times(ratio.low)} to {times(ratio.high)})"
        )


def parsed(text: str) -> LoadCondition:
    """
    Parse a condition such as ``p99 > +5%`` or ``rate < -5%``.

    Raises:
        UsageError: it is no such condition.
    """
    found = _CONDITION.fullmatch(text.strip())
    if found is None or float(found[3]) <= -100:
        raise UsageError(
            f"--fail-if {text!r} is not a condition such as 'p99 > +5%' or 'rate < -5%'"
        )
    return LoadCondition(
        text=text.strip(),
        metric=found[1],
        relation=Direction.HIGHER if found[2] == ">" else Direction.LOWER,
        limit=1 + float(found[3]) / 100,
    )
