"""``--fail-if``: conditions under which a comparison fails."""

import re
from dataclasses import dataclass
from difflib import get_close_matches

from autostrada.errors import UsageError
from autostrada.report.compare.comparison import ComparedCell, Comparison, compared
from autostrada.report.samples import Sampled, ratio_of
from autostrada.stats.change import (
    Direction,
    can_differ,
    can_exclude_limit,
    side_of_limit,
)
from autostrada.stats.metrics import METRICS, Metric

CONDITION = re.compile(
    r"(?P<metric>[a-z][a-z0-9_.]*) *(?P<relation>[<>]) *"
    r"(?:(?P<percent>[+-]\d+(?:\.\d+)?) *%|(?P<value>\d+(?:\.\d+)?))"
)
EXAMPLES = "'ms_per_million > +5%', 'latency_ms_p99 > 20' or 'dropped_messages > 0'"


@dataclass(frozen=True, kw_only=True, slots=True)
class FailCondition:
    """A condition for failure: a metric of B, or its change, is beyond a limit."""

    text: str
    metric: Metric
    relation: Direction
    limit: float
    """Limit of the metric in its unit; for a change, limit of the ratio B/A."""

    is_of_change: bool
    """Whether the limit applies to the change from A to B."""

    def is_met(self, cell: ComparedCell) -> bool:
        """Whether a cell is significantly beyond the limit, and so fails."""
        before, after = self._sides(cell)
        if after is None:
            return False
        if not self.is_of_change:
            return side_of_limit(after.interval, self.limit) is self.relation
        if before is None:
            return False
        return compared(before, after, self.limit).direction is self.relation

    def unchecked_reason(self, cell: ComparedCell) -> str:
        """State why a cell cannot be checked; empty if it can."""
        before, after = self._sides(cell)
        if after is None or (self.is_of_change and before is None):
            return f"{self.metric.name} is not known"
        if (
            before
            and self.is_of_change
            and not can_differ(len(before.values), len(after.values))
        ):
            return "a change requires three repetitions on each side"
        if not self.is_of_change and not can_exclude_limit(len(after.values)):
            return "a fixed limit requires five repetitions"
        return ""

    def evidence(self, cell: ComparedCell) -> tuple[float, float, float]:
        """
        Return the checked value and its bounds ``(value, low, high)``.

        The value is the ratio B/A for a change, and otherwise the metric of B.
        """
        before, after = self._sides(cell)
        assert after, "checked without samples"
        if self.is_of_change:
            assert before, "checked without samples"
            ratio = ratio_of(after, before)
            return ratio.value, ratio.low, ratio.high
        interval = after.interval
        return interval.median, interval.low, interval.high

    def _sides(self, cell: ComparedCell) -> tuple[Sampled | None, Sampled | None]:
        """Return the metrics of A and B."""
        name = self.metric.name
        return cell.before.metrics.get(name), cell.after.metrics.get(name)


@dataclass(frozen=True, kw_only=True, slots=True)
class ConditionCheck:
    """The cells of a comparison, divided by a condition."""

    condition: FailCondition
    failed: tuple[ComparedCell, ...]
    """Cells that meet the condition for failure."""

    passed: tuple[ComparedCell, ...]
    """Cells that pass."""

    unchecked: tuple[ComparedCell, ...]
    """Cells that cannot be checked: the metric is missing or has too few samples."""


def parse_condition(text: str) -> FailCondition:
    """
    Parse a condition: a metric, ``<`` or ``>``, and a change in percent or a value.

    Raises:
        UsageError: the text is no condition, the metric is unknown, or the limit cannot
            be crossed.
    """
    found = CONDITION.fullmatch(text.strip())
    if not found:
        is_unsigned = re.search(r"[<>] *[\d.]+ *%", text)
        remedy = (
            "a change needs a sign: +5% or -5%"
            if is_unsigned
            else f"write one as {EXAMPLES}"
        )
        raise UsageError(f"--fail-if {text!r} is not a condition; {remedy}")
    metric = METRICS.get(found["metric"])
    if not metric:
        raise UsageError(
            f"--fail-if {text!r}: no metric is called {found['metric']!r}; did you "
            f"mean {' or '.join(_alike(found['metric']))}? docs/experiments.md lists "
            f"all metrics"
        )
    is_of_change = found["percent"] is not None
    limit = 1 + float(found["percent"]) / 100 if is_of_change else float(found["value"])
    if limit < 0 or (limit == 0 and (is_of_change or found["relation"] == "<")):
        raise UsageError(
            f"--fail-if {text!r}: no metric is below 0, and none falls by 100%; write "
            f"a limit that can be crossed"
        )
    return FailCondition(
        text=" ".join(text.split()),
        metric=metric,
        relation=Direction.HIGHER if found["relation"] == ">" else Direction.LOWER,
        limit=limit,
        is_of_change=is_of_change,
    )


def _alike(name: str) -> list[str]:
    """Return up to three metrics whose names are similar or contain the name."""
    close = get_close_matches(name, METRICS, n=3, cutoff=0.6)
    parts = [metric for metric in METRICS if name in metric.split("_")]
    return (close or parts or ["ms_per_million"])[:3]


def check_condition(condition: FailCondition, comparison: Comparison) -> ConditionCheck:
    """
    Check all compared cells except the reference's by a condition.

    Raises:
        UsageError: no cell can be checked, so the condition could never fail.
    """
    checked = [
        cell for cell in comparison.cells if not condition.unchecked_reason(cell)
    ]
    if not checked:
        raise UsageError(
            f"--fail-if {condition.text!r} cannot be judged in any cell: "
            f"{_remedy(condition, comparison)}"
        )
    failed = [difference for difference in checked if condition.is_met(difference)]
    return ConditionCheck(
        condition=condition,
        failed=tuple(failed),
        passed=tuple(difference for difference in checked if difference not in failed),
        unchecked=tuple(cell for cell in comparison.cells if cell not in checked),
    )


def _remedy(condition: FailCondition, comparison: Comparison) -> str:
    if comparison.cells:
        return condition.unchecked_reason(comparison.cells[0])
    unmatched = (
        comparison.unmatched[0].reason if comparison.unmatched else "not measured"
    )
    return (
        f"A and B have none in common ({unmatched}); run both with the same contestants"
    )
