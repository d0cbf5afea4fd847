"""``--fail-if``: conditions under which a comparison fails."""

from dataclasses import dataclass
from difflib import get_close_matches

from autostrada.errors import UsageError
from autostrada.report.compare.comparison import ComparedCell, Comparison, compared
from autostrada.report.samples import Sampled, ratio_of
from autostrada.stats.change import can_differ, can_exclude_limit, side_of_limit
from autostrada.stats.condition import Condition, parse_condition
from autostrada.stats.metrics import METRICS

EXAMPLES = "'ms_per_million > +5%', 'latency_ms_p99 > 20' or 'dropped_messages > 0'"


def is_met(condition: Condition, cell: ComparedCell) -> bool:
    """Whether a cell is significantly beyond the limit, and so fails."""
    before, after = _sides(condition, cell)
    if after is None:
        return False
    if not condition.is_of_change:
        return side_of_limit(after.interval, condition.limit) is condition.relation
    if before is None:
        return False
    return compared(before, after, condition.limit).direction is condition.relation


def unchecked_reason(condition: Condition, cell: ComparedCell) -> str:
    """State why a cell cannot be checked; empty if it can."""
    before, after = _sides(condition, cell)
    if after is None or (condition.is_of_change and before is None):
        return f"{condition.metric} is not known"
    if (
        before
        and condition.is_of_change
        and not can_differ(len(before.values), len(after.values))
    ):
        return "a change requires three repetitions on each side"
    if not condition.is_of_change and not can_exclude_limit(len(after.values)):
        return "a fixed limit requires five repetitions"
    return ""


def evidence(condition: Condition, cell: ComparedCell) -> tuple[float, float, float]:
    """
    Return the checked value and its bounds ``(value, low, high)``.

    The value is the ratio B/A for a change, and otherwise the metric of B.
    """
    before, after = _sides(condition, cell)
    assert after, "checked without samples"
    if condition.is_of_change:
        assert before, "checked without samples"
        ratio = ratio_of(after, before)
        return ratio.value, ratio.low, ratio.high
    interval = after.interval
    return interval.median, interval.low, interval.high


def _sides(
    condition: Condition, cell: ComparedCell
) -> tuple[Sampled | None, Sampled | None]:
    """Return the metrics of A and B."""
    name = condition.metric
    return cell.before.metrics.get(name), cell.after.metrics.get(name)


@dataclass(frozen=True, kw_only=True, slots=True)
class ConditionCheck:
    """The cells of a comparison, divided by a condition."""

    condition: Condition
    failed: tuple[ComparedCell, ...]
    """Cells that meet the condition for failure."""

    passed: tuple[ComparedCell, ...]
    """Cells that pass."""

    unchecked: tuple[ComparedCell, ...]
    """Cells that cannot be checked: the metric is missing or has too few samples."""


def parse_known(text: str) -> Condition:
    """
    Parse a condition on one of the metrics of experiments.

    Raises:
        UsageError: the text is no condition, or the metric is unknown.
    """
    condition = parse_condition(text, EXAMPLES)
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


def check_condition(condition: Condition, comparison: Comparison) -> ConditionCheck:
    """
    Check all compared cells except the reference's by a condition.

    Raises:
        UsageError: no cell can be checked, so the condition could never fail.
    """
    checked = [
        cell for cell in comparison.cells if not unchecked_reason(condition, cell)
    ]
    if not checked:
        raise UsageError(
            f"--fail-if {condition.text!r} cannot be judged in any cell: "
            f"{_remedy(condition, comparison)}"
        )
    failed = [difference for difference in checked if is_met(condition, difference)]
    return ConditionCheck(
        condition=condition,
        failed=tuple(failed),
        passed=tuple(difference for difference in checked if difference not in failed),
        unchecked=tuple(cell for cell in comparison.cells if cell not in checked),
    )


def _remedy(condition: Condition, comparison: Comparison) -> str:
    if comparison.cells:
        return unchecked_reason(condition, comparison.cells[0])
    unmatched = (
        comparison.unmatched[0].reason if comparison.unmatched else "not measured"
    )
    return (
        f"A and B have none in common ({unmatched}); run both with the same contestants"
    )
