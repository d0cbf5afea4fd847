"""One metric of one cell with the samples of both sides, and how it changed."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import isinf

from autostrada.report.compare.change_report import ChangeRow, ChangeVerdict
from autostrada.report.metrics import written
from autostrada.report.samples import Sampled, ratio_of
from autostrada.stats.change import (
    Change,
    Direction,
    can_differ,
    can_exclude_limit,
    change,
    side_of_limit,
)
from autostrada.stats.condition import Condition
from autostrada.stats.metrics import SPEEDS, Metric


@dataclass(frozen=True, kw_only=True)
class ComparedMetric:
    """A metric that at least one side has."""

    metric: Metric
    before: Sampled | None
    after: Sampled | None
    signs: tuple[str, str] = ("", "")
    """Signs before the values of A and B that are bounds."""

    write: Callable[[Metric, float], str] = written
    """Formats a value of the metric with its unit."""

    @cached_property
    def change(self) -> Change | None:
        """The change of B relative to A; ``None`` if a side lacks the metric."""
        return self._relative_to(1.0)

    def direction(self, factor: float) -> Direction:
        """Return whether B is significantly above or below ``factor`` times A."""
        found = self._relative_to(factor)
        return found.direction if found else Direction.UNCLEAR

    def _relative_to(self, factor: float) -> Change | None:
        if not (self.before and self.after):
            return None
        ratio = ratio_of(self.after, self.before)
        return change(self.before.values, self.after.values, factor, ratio=ratio)

    @property
    def verdict(self) -> ChangeVerdict:
        """How B compares with A: faster or slower only for metrics of speed."""
        if not self.change:
            return ChangeVerdict.NOT_KNOWN
        if self.change.direction is Direction.UNCLEAR:
            return ChangeVerdict.INDISTINGUISHABLE
        is_higher = self.change.direction is Direction.HIGHER
        if self.metric.group in SPEEDS and self.metric.better != "neither":
            is_faster = is_higher == (self.metric.better == "higher")
            return ChangeVerdict.FASTER if is_faster else ChangeVerdict.SLOWER
        return ChangeVerdict.MORE if is_higher else ChangeVerdict.LESS

    def row(self, group: str, name: str, repetitions: tuple[int, int]) -> ChangeRow:
        """Return the row of a report."""
        values = _median(self.before), _median(self.after)
        before, after = (
            "-" if value is None else f"{sign}{self.write(self.metric, value)}"
            for sign, value in zip(self.signs, values, strict=True)
        )
        return ChangeRow(
            group=group,
            name=name,
            metric=self.metric.name,
            title=self.metric.title,
            column=self.metric.column,
            before=before,
            after=after,
            values=values,
            unit=self.metric.unit,
            repetitions=repetitions,
            ratio=self.change.ratio if self.change else None,
            p=self.change.p if self.change else None,
            verdict=self.verdict,
            reason=self._too_few,
        )

    def is_met(self, condition: Condition) -> bool:
        """Whether the metric is significantly beyond the limit of a condition."""
        if condition.is_of_change:
            return self.direction(condition.limit) is condition.relation
        assert self.after, "checked without samples"
        limited = side_of_limit(self.after.interval, condition.limit)
        return limited is condition.relation

    def unchecked_reason(self, condition: Condition) -> str:
        """State why a condition cannot be checked; empty if it can."""
        if not self.after or (condition.is_of_change and not self.before):
            return f"{self.metric.name} is not known"
        if condition.is_of_change:
            return self._too_few
        if can_exclude_limit(len(self.after.values)):
            return ""
        return "a fixed limit requires five repetitions"

    @property
    def _too_few(self) -> str:
        """The reason why no change can be found; empty if a side has no samples."""
        if not (self.before and self.after):
            return ""
        if can_differ(len(self.before.values), len(self.after.values)):
            return ""
        return "a change requires three repetitions on each side"

    def evidence(self, condition: Condition) -> str:
        """Return the checked change of B, or its metric, with bounds."""
        if condition.is_of_change:
            assert self.change, "checked without samples"
            ratio = self.change.ratio
            texts = [*map(_percent, (ratio.value, ratio.low, ratio.high))]
        else:
            assert self.after, "checked without samples"
            found = self.after.interval
            bounds = found.median, found.low, found.high
            texts = [self.write(self.metric, value) for value in bounds]
        return "{} ({} to {})".format(*texts)


def _median(sampled: Sampled | None) -> float | None:
    return sampled.interval.median if sampled else None


def _percent(ratio: float) -> str:
    """Format a ratio as a change: ``+9.1%``."""
    return "+∞" if isinf(ratio) else f"{100 * (ratio - 1):+.1f}%"
