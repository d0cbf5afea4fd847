"""What every comparison prints, as values; terminal, Markdown and JSON show them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from autostrada.report.compare.compared_metric import ComparedMetric
from autostrada.report.compare.gate import GateResult
from autostrada.report.text import few
from autostrada.store.history import SavedLoad

COLUMNS = ("A", "B", "B/A", "interval", "p", "detects", "verdict")
"""Titles of the columns of a table of changes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangeReport:
    """The comparison of two sides, A and B, as it is printed."""

    names: tuple[str, str]
    """The sides in sentences, such as ``A`` and ``B``, or two contestants."""

    origins: tuple[str, str]
    """What A and B are, one line each."""

    warnings: tuple[str, ...] = ()
    """Differences between the sides other than their metrics."""

    rows: tuple[ComparedMetric, ...]
    """All rows of a cell, and all cells of a workload, follow one another."""

    unmatched: tuple[str, ...] = ()
    """Cells that only one side has, one line each."""

    conclusion: str
    causes: tuple[str, ...] = ()
    """What a profile says about a change, one line each."""

    gates: tuple[GateResult, ...]
    note: str
    """How to read the columns."""

    repetition: str = "repetition"
    """Noun of what was repeated: ``repetition``, ``load`` or ``round``."""

    loads: Mapping[str, Sequence[SavedLoad]] = field(default_factory=dict)
    """The compared loads by name; empty for runs."""

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

    @property
    def labels(self) -> dict[str, list[str]]:
        """The texts of the columns that say what a row is, by title."""
        texts = {
            "workload": [row.workload for row in self.rows],
            "contestant": [row.contestant for row in self.rows],
            "metric": [row.metric.title for row in self.rows],
        }
        return {title: found for title, found in texts.items() if any(found)}

    @property
    def columns(self) -> dict[str, list[str]]:
        """The texts of all columns that have any, by title."""
        texts = {
            title: [row.texts.get(title, "") for row in self.rows] for title in COLUMNS
        }
        return {title: found for title, found in texts.items() if any(found)}

    def document(self) -> dict[str, Any]:
        """Return the report as it is written to JSON."""
        return {
            "names": self.names,
            "origins": self.origins,
            "warnings": self.warnings,
            "conclusion": self.conclusion,
            "causes": self.causes,
            "gates": [asdict(gate) for gate in self.gates],
            "rows": [row.document() for row in self.rows],
            "unmatched": self.unmatched,
            "note": self.note,
        }
