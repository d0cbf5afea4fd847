"""``--fail-if``: a condition under which the second side is not good enough."""

import re
from dataclasses import dataclass
from difflib import get_close_matches

from autostrada.errors import UsageError
from autostrada.report.compare.comparison import ComparedCell, Comparison, compared
from autostrada.report.samples import Sampled, ratio_of
from autostrada.stats.change import Direction, beside, can_differ, can_lie_beside
from autostrada.stats.figures import FIGURES, Figure

CONDITION = re.compile(
    r"(?P<figure>[a-z][a-z0-9_.]*) *(?P<relation>[<>]) *"
    r"(?:(?P<percent>[+-]\d+(?:\.\d+)?) *%|(?P<value>\d+(?:\.\d+)?))"
)
EXAMPLES = "'ms_per_million > +5%', 'latency_ms_p99 > 20' or 'dropped_messages > 0'"


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
        """Whether a cell lies significantly beyond the limit."""
        before, after = self._sides(cell)
        if after is None:
            return False
        if not self.is_of_change:
            return beside(after.interval, self.limit) is self.relation
        if before is None:
            return False
        return compared(before, after, self.limit).direction is self.relation

    def obstacle(self, cell: ComparedCell) -> str:
        """Say why nothing can be judged in a cell; empty where it can."""
        before, after = self._sides(cell)
        if after is None or (self.is_of_change and before is None):
            return f"{self.figure.name} is not known"
        if before and self.is_of_change and not _can_differ(before, after):
            return "it takes three repetitions on each side"
        if not self.is_of_change and not can_lie_beside(len(after.values)):
            return "a fixed limit takes five repetitions"
        return ""

    def evidence(self, cell: ComparedCell) -> tuple[float, float, float]:
        """Return what was found, and its bounds: a ratio of a change, or the figure."""
        before, after = self._sides(cell)
        assert after, "judged without samples"
        if self.is_of_change:
            assert before, "judged without samples"
            ratio = ratio_of(after, before)
            return ratio.value, ratio.low, ratio.high
        interval = after.interval
        return interval.median, interval.low, interval.high

    def _sides(self, cell: ComparedCell) -> tuple[Sampled | None, Sampled | None]:
        """Return the figure of A and of B."""
        name = self.figure.name
        return cell.before.figures.get(name), cell.after.figures.get(name)


def _can_differ(before: Sampled, after: Sampled) -> bool:
    if before.known or after.known:
        return ratio_of(after, before).confidence > 0
    return can_differ(len(before.values), len(after.values))


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
            f"--fail-if {text!r}: no figure is called {found['figure']!r}; did you "
            f"mean {' or '.join(_alike(found['figure']))}? docs/experiments.md has "
            f"the list"
        )
    is_of_change = found["percent"] is not None
    limit = 1 + float(found["percent"]) / 100 if is_of_change else float(found["value"])
    if limit < 0 or (limit == 0 and (is_of_change or found["relation"] == "<")):
        raise UsageError(
            f"--fail-if {text!r}: no figure is below 0, and none falls by 100%; write "
            f"a limit that can be crossed"
        )
    return Condition(
        text=" ".join(text.split()),
        figure=figure,
        relation=Direction.HIGHER if found["relation"] == ">" else Direction.LOWER,
        limit=limit,
        is_of_change=is_of_change,
    )


def _alike(name: str) -> list[str]:
    """Return figures with a name like that, or with that as a part of their name."""
    close = get_close_matches(name, FIGURES, n=3, cutoff=0.6)
    parts = [each for each in FIGURES if name in each.split("_")]
    return (close or parts or ["ms_per_million"])[:3]


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
