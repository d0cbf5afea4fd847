"""Conditions under which loads have become worse: ``p99 > +5%``."""

from collections.abc import Sequence

from autostrada.errors import UsageError
from autostrada.report.history import ComparedMetric
from autostrada.report.number import times
from autostrada.stats.condition import Condition, parse_condition

EXAMPLES = "'p99 > +5%' or 'rate < -5%'"


def parse_change(text: str) -> Condition:
    """
    Parse a condition such as ``p99 > +5%`` or ``rate < -5%``.

    Raises:
        UsageError: it is no such condition.
    """
    condition = parse_condition(text, EXAMPLES)
    if not condition.is_of_change:
        raise UsageError(
            f"--fail-if {text!r} is not a change of a metric; write one as {EXAMPLES}"
        )
    return condition


def failure(condition: Condition, metrics: Sequence[ComparedMetric]) -> str:
    """
    Return why the loads fail; empty if they do not.

    Raises:
        UsageError: the loads do not have the metric, or are too few.
    """
    name = condition.metric
    found = next((metric for metric in metrics if metric.name == name), None)
    if found is None:
        known = ", ".join(metric.name for metric in metrics)
        raise UsageError(
            f"--fail-if {condition.text!r}: these loads have no {name}: choose one of "
            f"{known}"
        )
    if not found.is_decided:
        raise UsageError(
            f"--fail-if {condition.text!r}: a change is told from chance by three "
            "loads of each name: load more often"
        )
    if found.change(condition.limit).direction is not condition.relation:
        return ""
    ratio = found.change().ratio
    return (
        f"{condition.text}: {name} is {times(ratio.value)} what it was "
        f"({times(ratio.low)} to {times(ratio.high)})"
    )
