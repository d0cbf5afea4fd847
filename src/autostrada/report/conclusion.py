"""A published conclusion with its finding, and the comparisons that show it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from autostrada.experiment.matrix import Cell
from autostrada.report import number
from autostrada.report.text import listed
from autostrada.stats.claim import Finding
from autostrada.stats.sequential import NO_OUTLOOK, Outlook


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """A ratio or a metric that is above 0, with its interval and its limits."""

    value: float
    low: float
    high: float
    at_least: float | None
    at_most: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """The finding for one comparison of a claim, and a sentence with its metrics."""

    finding: Finding
    sentence: str
    value: str = ""
    """The ratio or the metric with its interval; ``""`` if it is not known."""

    measured: Measured | None = None
    """The same as numbers, if all of them and a limit are above 0."""

    strict: Finding = Finding.INCONCLUSIVE
    """The finding if all claims of the page share the error of one."""

    cells: tuple[Cell, ...] = ()
    spread: float = 1.0
    """By how many times one of the cells differed from itself between rounds."""

    outlook: Outlook = NO_OUTLOOK
    """What more rounds of the cells are expected to show, if there is no finding."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Conclusion:
    """A published conclusion and our finding for it."""

    text: str
    finding: Finding
    shown: tuple[Shown, ...]
    reason: str
    """Why it cannot be contradicted by any measurement; ``""`` if it can."""

    unmet: tuple[str, ...] = ()
    """A sentence for each condition of the claim that this run did not meet."""

    conditions: tuple[Shown, ...] = ()
    """The findings for conditions with limits, such as those of a shorter trial."""

    is_strict: bool = False
    """Whether the finding also holds if all claims share the error of one."""

    either: bool = False
    """Whether one of the comparisons is enough."""

    left_out: tuple[str, ...] = ()
    """Contestants that the machine does not have, whose comparisons are left out."""

    left: str = ""
    """How much more time is expected to decide it, as a sentence; ``""`` if none is."""

    @property
    def grounds(self) -> tuple[str, ...]:
        """The sentences that explain the finding; the first ones decide it."""
        decisive = self.decisive.sentence if self.decisive else ""
        without = (
            f"Left out, as not installed: {listed(self.left_out)}."
            if self.left_out
            else ""
        )
        parts = (
            *(*self.unmet, self.reason, self.tally, decisive, self.strictness),
            *(self.repeated, without, self.left),
        )
        return tuple(filter(None, parts))

    @property
    def strictness(self) -> str:
        """Whether it holds if all claims share an error, as a sentence, or ``""``."""
        if self.finding not in (Finding.CONFIRMED, Finding.CONTRADICTED):
            return ""
        return (
            "It also holds if all conclusions together share the error of one."
            if self.is_strict
            else "It does not hold if all conclusions together share the error of one."
        )

    @property
    def repeated(self) -> str:
        """How much equal trials differed in this run, as a sentence, or ``""``."""
        spread = max((comparison.spread for comparison in self.shown), default=1.0)
        if spread == 1:
            return ""
        times = number.times(spread)
        return f"Between rounds, a cell differed from itself by up to {times}."

    @property
    def decisive(self) -> Shown | None:
        """The first comparison with the conclusion's finding; ``None`` without one."""
        same = (
            comparison
            for comparison in self.shown
            if comparison.finding is self.finding
        )
        return next(same, None)

    @property
    def value(self) -> str:
        """The decisive ratio or metric; that of the first comparison without one."""
        shown = self.decisive or next(iter(self.shown), None)
        return shown.value if shown else ""

    @property
    def measured(self) -> Measured | None:
        """The decisive metric as numbers; that of the first comparison without one."""
        shown = self.decisive or next(iter(self.shown), None)
        return shown.measured if shown else None

    @property
    def tally(self) -> str:
        """Number of comparisons for each finding, as a sentence; empty for one."""
        if len(self.shown) < 2:
            return ""
        counts = tally([comparison.finding for comparison in self.shown])
        return f"Of {number.count(len(self.shown), 'comparison')} {counts}."


def tally(findings: Sequence[Finding]) -> str:
    """Count the findings, as a part of a sentence."""
    counts = Counter(findings)
    return listed(
        [
            f"{number.plain(counts[finding], 0)} "
            f"{'is' if counts[finding] == 1 else 'are'} {finding}"
            for finding in Finding
            if counts[finding]
        ]
    )
