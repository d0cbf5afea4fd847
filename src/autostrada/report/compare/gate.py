"""``--fail-if``: a condition under which the second side is not good enough."""

import re
from dataclasses import dataclass

from autostrada.errors import UsageError
from autostrada.report.compare.comparison import ComparedCell, Comparison
from autostrada.report.compare.figure import FIGURES, Figure
from autostrada.stats.change import (
    Direction,
    beside,
    can_differ,
    can_lie_beside,
    change,
)
from autostrada.stats.interval import median_interval
from autostrada.stats.ratio import median_ratio

CONDITION = re.compile(
    r"(?P<figure>[a-z][a-z0-9_.]*) *(?P<relation>[<>]) *"
    r"(?:(?P<percent>[+-]\d+(?:\.\d+)?) *%|(?P<value>\d+(?:\.\d+)?))"
)
EXAMPLES = "'ms_per_million > +5%', 'rate < -5%' or 'memory > 100'"


@dataclass(frozen=True, kw_only=True, slots=True)
class Condition:
    """Fail where a figure lies beyond a limit: a change of it, or a value."""

    text: str
    figure: Figure
    relation: Direction
    limit: float
    """Where the condition is of a change: how many times the figure of A."""

    is_of_change: bool

    def is_met(self, cell: ComparedCell) -> bool:
        """Whether a cell surely lies beyond the limit; one that may not, does not."""
        samples = self._samples(cell)
        if not samples:
            return False
        if self.is_of_change:
            before, after = samples
            return change(before, after, self.limit).direction is self.relation
        return beside(samples[0], self.limit) is self.relation

    def obstacle(self, cell: ComparedCell) -> str:
        """Say why nothing can be judged in a cell; empty where it can."""
        samples = self._samples(cell)
        if not samples:
            return f"{self.figure.name} is not known"
        if self.is_of_change and not can_differ(*map(len, samples)):
            return "it takes three repetitions on each side"
        if not self.is_of_change and not can_lie_beside(len(samples[0])):
            return "a fixed limit takes five repetitions"
        return ""

    def evidence(self, cell: ComparedCell) -> tuple[float, float, float]:
        """Return what was found, and its bounds: a ratio of a change, or the figure."""
        samples = self._samples(cell)
        assert samples, "judged without samples"
        if self.is_of_change:
            before, after = samples
            ratio = median_ratio(after, before)
            return ratio.value, ratio.low, ratio.high
        interval = median_interval(samples[0])
        return interval.median, interval.low, interval.high

    def _samples(self, cell: ComparedCell) -> list[tuple[float, ...]]:
        """Return what is judged: of a change A's and B's, else B's; or nothing."""
        sides = (cell.before, cell.after) if self.is_of_change else (cell.after,)
        found = [taken for side in sides if (taken := self.figure.samples(side))]
        return found if len(found) == len(sides) else []


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """What a condition comes to, cell by cell."""

    condition: Condition
    failed: tuple[ComparedCell, ...]
    held: tuple[ComparedCell, ...]
    unjudged: tuple[ComparedCell, ...]


def parse_condition(text: str) -> Condition:
    """
    Read a condition: a figure, ``<`` or ``>``, and a change in percent or a value.

    Raises:
        UsageError: it is none, or names a figure that these runs do not have.
    """
    found = CONDITION.fullmatch(text.strip())
    if not found:
        is_unsigned = re.search(r"[<>] *[\d.]+ *%", text)
        remedy = (
            "a change needs a sign: +5% or -5%"
            if is_unsigned
            else f"write one as {EXAMPLES}"
        )
        raise UsageError(f"--fail-if {text!r} is no condition; {remedy}")
    figure = FIGURES.get(found["figure"])
    if not figure:
        raise UsageError(
            f"--fail-if {text!r}: these runs have no {found['figure']}, only "
            f"{', '.join(FIGURES)}"
        )
    is_of_change = found["percent"] is not None
    limit = 1 + float(found["percent"]) / 100 if is_of_change else float(found["value"])
    if limit <= 0:
        raise UsageError(
            f"--fail-if {text!r}: every figure is above 0, and none falls by 100%; "
            f"write a limit that can be crossed"
        )
    return Condition(
        text=" ".join(text.split()),
        figure=figure,
        relation=Direction.HIGHER if found["relation"] == ">" else Direction.LOWER,
        limit=limit,
        is_of_change=is_of_change,
    )


def judge(condition: Condition, comparison: Comparison) -> Judgement:
    """
    Hold every compared cell, but for the reference's, against a condition.

    Raises:
        UsageError: there is no cell that it can be judged in, so that it would hold
            whatever happens.
    """
    judged = [each for each in comparison.cells if not condition.obstacle(each)]
    if not judged:
        raise UsageError(
            f"--fail-if {condition.text!r} cannot be judged in any cell: "
            f"{_remedy(condition, comparison)}"
        )
    failed = [each for each in judged if condition.is_met(each)]
    return Judgement(
        condition=condition,
        failed=tuple(failed),
        held=tuple(each for each in judged if each not in failed),
        unjudged=tuple(each for each in comparison.cells if each not in judged),
    )


def _remedy(condition: Condition, comparison: Comparison) -> str:
    if comparison.cells:
        return condition.obstacle(comparison.cells[0])
    lone = comparison.lone[0].reason if comparison.lone else "not measured"
    return f"A and B have none in common ({lone}); run both with the same contestants"
