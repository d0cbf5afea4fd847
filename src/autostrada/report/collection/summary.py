"""What an index and a document say of one run, whatever its experiment is."""

from collections.abc import Mapping
from dataclasses import dataclass

FAILED = "failed"
"""Counted beside the verdicts: cells without any figure."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """A run in short, computed from its figures alone."""

    headline: str
    verdicts: Mapping[str, int]
    """By what held cells back, the most frequent first: how many cells."""

    claims: Mapping[str, int]
    """By what became of published conclusions: how many; empty without any."""

    publication: str = ""
    """What was published of it, by its title; ``""`` where nothing was."""

    markdown: str = ""
    """A table of figures for a document."""

    picture: str = ""
    """The name of the chart that says most."""


def published(summary: Summary) -> str:
    """Name what was published, and count what became of its conclusions."""
    return ": ".join(filter(None, (summary.publication, counted(summary.claims))))


def counted(counts: Mapping[str, int]) -> str:
    """Write counts in a line: ``client CPU 12, window 3``."""
    return ", ".join(f"{name} {count}" for name, count in counts.items())
