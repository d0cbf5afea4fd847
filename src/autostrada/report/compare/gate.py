"""``--fail-if``: conditions under which a comparison fails, ``p99 > +5%``."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Protocol

from autostrada.errors import UsageError
from autostrada.report import number
from autostrada.report.compare.change_report import GateResult
from autostrada.stats.condition import Condition, parse_condition
from autostrada.stats.metrics import METRICS

OF_RUNS = "'ms_per_million > +5%', 'latency_ms_p99 > 20' or 'dropped_messages > 0'"
OF_LOADS = "'p99 > +5%' or 'rate < -5%'"


def parse_known(text: str) -> Condition:
    """
    Parse a condition on one of the metrics of experiments.

    Raises:
        UsageError: the text is no condition, or the metric is unknown.
    """
    condition = parse_condition(text, OF_RUNS)
    if condition.metric not in METRICS:
        raise UsageError(
            f"--fail-if {text!r}: no metric is called {condition.metric!r}; did you "
            f"mean {' or '.join(_alike(condition.metric))}? docs/experiments.md lists "
            f"all metrics"
        )
    return condition


def _alike(name: str) -> list[str]:
    """Return up to three metrics whose names are similar or contain the name."""
    close = get_close_matches(name, METRICS, n=3, cutoff=0.6)
    parts = [metric for metric in METRICS if name in metric.split("_")]
    return (close or parts or ["ms_per_million"])[:3]


def parse_change(text: str, examples: str = OF_LOADS) -> Condition:
    """
    Parse a condition on the change of a metric, such as ``p99 > +5%``.

    Raises:
        UsageError: the text is no such condition.
    """
    condition = parse_condition(text, examples)
    if not condition.is_of_change:
        raise UsageError(
            f"--fail-if {text!r} is not a change of a metric; write one as {examples}"
        )
    return condition


class Checkable(Protocol):
    """A metric of a cell with the samples of both sides."""

    def unchecked_reason(self, condition: Condition) -> str:
        """State why a condition cannot be checked; empty if it can."""

    def is_met(self, condition: Condition) -> bool:
        """Whether the metric is significantly beyond the limit of a condition."""

    def evidence(self, condition: Condition) -> str:
        """Return the checked value with its bounds."""


def check_condition(
    condition: Condition,
    cells: Mapping[str, Mapping[str, Checkable]],
    nothing_in_common: str = "",
) -> GateResult:
    """
    Check the metrics of cells, by label and name, with a condition.

    A label is ``""`` if there is but one cell. ``nothing_in_common`` is the reason why
    there are no cells.

    Raises:
        UsageError: no cell can be checked, so the condition could never fail.
    """
    reasons = {
        label: _unchecked_reason(condition, metrics) for label, metrics in cells.items()
    }
    failed: list[str] = []
    passed: list[str] = []
    for label, metrics in cells.items():
        if not reasons[label]:
            metric = metrics[condition.metric]
            lines = failed if metric.is_met(condition) else passed
            lines.append(_line(label, metric.evidence(condition)))
    if not (failed or passed):
        reason = next(iter(reasons.values()), nothing_in_common)
        known = dict.fromkeys(name for metrics in cells.values() for name in metrics)
        if known and condition.metric not in known:
            reason += f"; choose one of {', '.join(known)}"
        raise UsageError(f"--fail-if {condition.text!r} cannot be judged: {reason}")
    if len(passed) > 1:
        passed = [f"in {number.count(len(passed), 'cell')}"]
    return GateResult(
        condition=condition.text,
        failed=tuple(failed),
        passed=tuple(passed),
        unchecked=tuple(_line(*cell) for cell in reasons.items() if cell[1]),
    )


def _unchecked_reason(condition: Condition, metrics: Mapping[str, Checkable]) -> str:
    if found := metrics.get(condition.metric):
        return found.unchecked_reason(condition)
    return f"{condition.metric} is not known"


def _line(label: str, text: str) -> str:
    return f"{label}: {text}" if label else text
