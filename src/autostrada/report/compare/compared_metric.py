"""A metric of a cell on both sides: how it changed, in numbers, words and texts."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cached_property
from math import inf, isinf
from typing import Any

from autostrada.report import number
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
from autostrada.stats.ratio import Ratio


class ChangeVerdict(StrEnum):
    """How a metric of B compares with that of A, in the order of sentences."""

    FASTER = "faster"
    SLOWER = "slower"
    MORE = "more"
    LESS = "less"
    SAME = "same"
    """Equivalent: the change is significantly within the margin."""

    INDISTINGUISHABLE = "indistinguishable"
    """No change is significant, and equivalence is not tested."""

    UNDECIDED = "undecided"
    """Neither a change nor equivalence is significant."""

    NOT_KNOWN = "not known"
    """A side lacks the metric."""


@dataclass(frozen=True, kw_only=True)
class ComparedMetric:
    """A metric that at least one side has, compared by two groups of samples."""

    metric: Metric
    """Its name is that in conditions."""

    before: Sampled | None
    after: Sampled | None
    workload: str = ""
    """Empty if there is but one cell."""

    contestant: str = ""
    """Empty if there is but one in a workload."""

    repetitions: tuple[int, int]
    """Number of repetitions of the cell in A and in B."""

    signs: tuple[str, str] = ("", "")
    """Signs before the values of A and B that are bounds."""

    write: Callable[[Metric, float], str] = written
    """Formats a value of the metric with its unit."""

    failure: str = ""
    """Why a side was not measured; empty if both were, or none was tried."""

    needed_s: float = 0.0
    """Time for the rounds that are expected to decide, in seconds; 0 if none do."""

    @cached_property
    def change(self) -> Change | None:
        """The change of B relative to A; ``None`` if a side lacks the metric."""
        return self.relative_to(1.0)

    def relative_to(self, factor: float) -> Change | None:
        """Return the change of B relative to ``factor`` times A."""
        if not (self.before and self.after):
            return None
        ratio = ratio_of(self.after, self.before)
        return change(self.before.values, self.after.values, factor, ratio=ratio)

    @property
    def verdict(self) -> ChangeVerdict:
        """How B compares with A: faster or slower only for metrics of speed."""
        if not self.change:
            return ChangeVerdict.NOT_KNOWN
        match self.change.direction:
            case Direction.SAME:
                return ChangeVerdict.SAME
            case Direction.UNCLEAR if self.change.margin is None:
                return ChangeVerdict.INDISTINGUISHABLE
            case Direction.UNCLEAR:
                return ChangeVerdict.UNDECIDED
        is_higher = self.change.direction is Direction.HIGHER
        if self.metric.group in SPEEDS and self.metric.better != "neither":
            is_faster = is_higher == (self.metric.better == "higher")
            return ChangeVerdict.FASTER if is_faster else ChangeVerdict.SLOWER
        return ChangeVerdict.MORE if is_higher else ChangeVerdict.LESS

    @property
    def reason(self) -> str:
        """Why the change is not known, or what would decide it; may be ``""``."""
        return self.failure or self.too_few

    @property
    def too_few(self) -> str:
        """The reason why no change can be found; empty if a side has no samples."""
        if not (self.before and self.after):
            return ""
        if can_differ(len(self.before.values), len(self.after.values)):
            return ""
        return "a change requires three repetitions on each side"

    def unchecked_reason(self, condition: Condition) -> str:
        """State why a condition cannot be checked; empty if it can."""
        if not self.after or (condition.is_of_change and not self.before):
            return self.failure or f"{self.metric.name} is not known"
        if condition.is_of_change:
            return self.too_few
        if can_exclude_limit(len(self.after.values)):
            return ""
        return "a fixed limit requires five repetitions"

    def check(self, condition: Condition) -> tuple[bool | None, str]:
        """
        Return whether a condition is met, and the checked value with its bounds.

        It is met if the metric is significantly beyond the limit, and ``None`` if that
        is undecided: some of the interval is beyond it.
        """
        limit = condition.limit
        if condition.is_of_change:
            found = self.relative_to(limit)
            assert found, "checked without samples"
            direction = found.direction
            values = found.ratio.value, found.ratio.low, found.ratio.high
            texts = [*map(_percent, values)]
        else:
            assert self.after, "checked without samples"
            interval = self.after.interval
            direction = side_of_limit(interval, limit)
            values = interval.median, interval.low, interval.high
            texts = [self.write(self.metric, value) for value in values]
        is_above = condition.relation is Direction.HIGHER
        is_partly_beyond = values[2] > limit if is_above else values[1] < limit
        is_met = True if direction is condition.relation else None
        evidence = "{} ({} to {})".format(*texts)
        return is_met if is_partly_beyond else False, evidence

    @property
    def cell(self) -> str:
        """The cell in a sentence, ``a in b``; empty if there is but one."""
        return " in ".join(filter(None, (self.contestant, self.workload)))

    @property
    def label(self) -> str:
        """The row in a sentence: its cell, or its metric if there is but one cell."""
        return self.cell or self.metric.title

    @property
    def effect(self) -> str:
        """The ratio in a sentence: ``0.900× the latency``, or ``0.900×``."""
        ratio = self.texts["B/A"]
        return f"{ratio} the {self.metric.title}" if self.cell else ratio

    @property
    def values(self) -> tuple[float | None, float | None]:
        """The values of A and B in the metric's unit; ``None`` if not known."""
        before, after = (
            side.interval.median if side else None for side in (self.before, self.after)
        )
        return before, after

    @cached_property
    def texts(self) -> dict[str, str]:
        """The columns of a table by title, without those that are not known."""
        texts = {
            title: "-" if value is None else f"{sign}{self.write(self.metric, value)}"
            for title, sign, value in zip("AB", self.signs, self.values, strict=True)
        }
        if found := self.change:
            value, low, high = _factors(found.ratio)
            texts["B/A"] = f"{value}{number.TIMES}"
            if found.ratio.confidence:
                texts["interval"] = f"{low}{number.DASH}{high}"
            if found.p is not None:
                texts["p"] = "<0.001" if found.p < 0.001 else f"{found.p:.3f}"
            if found.detectable is not None:
                texts["detects"] = share_text(found.detectable)
        return texts | {"verdict": self.verdict_text}

    @property
    def verdict_text(self) -> str:
        """The verdict, with its margin: ``same within 3%``."""
        if self.verdict is not ChangeVerdict.SAME:
            return self.verdict.value
        assert self.change, "the same as nothing"
        assert self.change.margin, "the same without a margin"
        return f"{self.verdict} within {share_text(self.change.margin)}"

    def document(self) -> dict[str, Any]:
        """Return the row as it is written to JSON; infinity is ``null``."""
        found = asdict(self.change) if self.change else {}
        ratio = {
            key: None if isinf(value) else value
            for key, value in found.get("ratio", {}).items()
        }
        return {
            "workload": self.workload,
            "contestant": self.contestant,
            "metric": self.metric.name,
            "title": self.metric.title,
            "unit": self.metric.unit,
            "values": self.values,
            "repetitions": self.repetitions,
            "ratio": ratio or None,
            "p": found.get("p"),
            "margin": found.get("margin"),
            "detectable": found.get("detectable"),
            "verdict": self.verdict,
            "needed_s": self.needed_s,
            "reason": self.reason,
        }


def share_text(share: float) -> str:
    """Format a share as a percentage: ``3%`` or ``2.5%``."""
    return number.percent(share, 1 if round(1000 * share) % 10 else 0)


def _percent(ratio: float) -> str:
    """Format a ratio as a change: ``+9.1%``."""
    return "+∞" if isinf(ratio) else f"{100 * (ratio - 1):+.1f}%"


def _factors(ratio: Ratio) -> Iterator[str]:
    """Yield the value and the bounds, with three decimal places below 10."""
    places = number.decimals(ratio.value) if 10 <= ratio.value < inf else 3
    for factor in (ratio.value, ratio.low, ratio.high):
        yield "∞" if isinf(factor) else number.plain(factor, places)
