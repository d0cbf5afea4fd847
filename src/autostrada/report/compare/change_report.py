"""What every comparison prints, as values; terminal, Markdown and JSON show them."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from math import inf, isinf
from typing import Any

from autostrada.report import number
from autostrada.report.text import few
from autostrada.stats.ratio import Ratio

COLUMNS = {
    "A": "before",
    "B": "after",
    "B/A": "ratio_text",
    "interval": "bounds_text",
    "p": "p_text",
    "detects": "detectable_text",
    "verdict": "verdict_text",
}
"""Columns of a table of changes: attributes of a row by title."""


class ChangeVerdict(StrEnum):
    """How a metric of B compares with that of A, in the order of sentences."""

    FASTER = "faster"
    SLOWER = "slower"
    MORE = "more"
    LESS = "less"
    SAME = "same"
    """Equivalent: the change is significantly within the margin."""

    INDISTINGUISHABLE = "indistinguishable"
    """Neither a change nor equivalence is significant."""

    NOT_KNOWN = "not known"
    """A side lacks the metric."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangeRow:
    """The change of one metric of one cell."""

    group: str
    """Heading, such as the workload; may be ``""``."""

    name: str
    """The cell within its group, such as the contestant; may be ``""``."""

    metric: str
    """Name of the metric in conditions."""

    title: str
    column: str
    """Title in the terminal, of about ten characters."""

    before: str
    after: str
    """The values of A and B with their units; ``-`` if a side has none."""

    repetitions: tuple[int, int]
    """Number of repetitions of the cell in A and in B."""

    ratio: Ratio | None
    """B divided by A; ``None`` if a side lacks the metric."""

    verdict: ChangeVerdict
    values: tuple[float | None, float | None] = (None, None)
    """The values of A and B in ``unit``; ``None`` if they are not known."""

    unit: str = ""
    p: float | None = None
    """Two-sided p-value of a change; ``None`` if the test has none."""

    margin: float | None = None
    """Largest change that counts as the same, as a share: ``0.03``."""

    detectable: float | None = None
    """Smallest change that so many repetitions detect, as a share: ``0.03``."""

    reason: str = ""
    """Why the change is not known, or what would decide it; may be ``""``."""

    @property
    def label(self) -> str:
        """The row in a sentence, without its metric if it has a cell: ``a in b``."""
        cell = [part for part in (self.name, self.group) if part]
        return " in ".join(cell) or self.title

    @property
    def effect(self) -> str:
        """The ratio in a sentence: ``0.900× the latency``, or ``0.900×``."""
        has_cell = self.name or self.group
        return f"{self.ratio_text} the {self.title}" if has_cell else self.ratio_text

    @property
    def ratio_text(self) -> str:
        """The ratio with three decimal places below 10; empty if unknown."""
        if not self.ratio:
            return ""
        return f"{_factor(self.ratio.value, _places(self.ratio))}{number.TIMES}"

    @property
    def bounds_text(self) -> str:
        """The bounds of the ratio; empty if they have no confidence."""
        if not self.ratio or not self.ratio.confidence:
            return ""
        places = _places(self.ratio)
        low, high = (_factor(x, places) for x in (self.ratio.low, self.ratio.high))
        return f"{low}{number.DASH}{high}"

    @property
    def p_text(self) -> str:
        """The p-value; one below 0.001 is ``<0.001``."""
        if self.p is None:
            return ""
        return "<0.001" if self.p < 0.001 else f"{self.p:.3f}"

    @property
    def verdict_text(self) -> str:
        """The verdict, with its margin: ``same within 3%``."""
        if self.margin is None or self.verdict is not ChangeVerdict.SAME:
            return self.verdict.value
        return f"{self.verdict} within {share_text(self.margin)}"

    @property
    def detectable_text(self) -> str:
        """The smallest detectable change: ``2.5%``; empty if unknown."""
        return "" if self.detectable is None else share_text(self.detectable)


@dataclass(frozen=True, kw_only=True, slots=True)
class GateResult:
    """The result of a condition of ``--fail-if``, in lines."""

    condition: str
    failed: tuple[str, ...]
    """Cells that meet the condition, each with its evidence."""

    passed: tuple[str, ...]
    unchecked: tuple[str, ...]
    """Cells that cannot be checked, each with the reason."""

    @property
    def lines(self) -> Iterator[str]:
        """All lines, each with its result and the condition."""
        for result, found in (
            ("failed", self.failed),
            ("passed", self.passed),
            ("not judged", self.unchecked),
        ):
            for line in found:
                yield f"{result}: {self.condition}: {line}"


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangeReport:
    """The comparison of two sides, A and B, as it is printed."""

    names: tuple[str, str]
    """The sides in sentences, such as ``A`` and ``B``, or two contestants."""

    origins: tuple[str, str]
    """What A and B are, one line each."""

    warnings: tuple[str, ...]
    """Differences between the sides other than their metrics."""

    rows: tuple[ChangeRow, ...]
    """All rows of a cell, and all cells of a group, follow one another."""

    unmatched: tuple[str, ...]
    """Cells that only one side has, one line each."""

    conclusion: str
    gates: tuple[GateResult, ...]
    note: str
    """How to read the columns."""

    repetition: str = "repetition"
    """Noun of what was repeated: ``repetition``, ``load`` or ``round``."""

    @property
    def has_failed(self) -> bool:
        """Whether a condition failed."""
        return any(gate.failed for gate in self.gates)

    @property
    def reasons(self) -> Iterator[str]:
        """The reasons of rows, each with the cells that have it."""
        for reason in dict.fromkeys(row.reason for row in self.rows if row.reason):
            labels = dict.fromkeys(
                row.label for row in self.rows if row.reason == reason
            )
            yield f"{few([*labels])}: {reason}"

    def columns(self, first: dict[str, str]) -> dict[str, list[str]]:
        """
        Return the texts of all columns that have any, by title.

        ``first`` are the attributes of a row by which it is named, by title.
        """
        texts = {
            title: [getattr(row, attribute) for row in self.rows]
            for title, attribute in (first | COLUMNS).items()
        }
        return {title: found for title, found in texts.items() if any(found)}

    def document(self) -> dict[str, Any]:
        """Return the report as it is written to JSON; infinity is ``null``."""
        document = asdict(self)
        for row in document["rows"]:
            ratio = row["ratio"] or {}
            ratio |= {key: None for key, value in ratio.items() if isinf(value)}
        return document


def share_text(share: float) -> str:
    """Format a share as a percentage: ``3%`` or ``2.5%``."""
    return number.percent(share, 1 if round(1000 * share) % 10 else 0)


def _factor(value: float, places: int) -> str:
    return "∞" if isinf(value) else number.plain(value, places)


def _places(ratio: Ratio) -> int:
    return number.decimals(ratio.value) if 10 <= ratio.value < inf else 3
