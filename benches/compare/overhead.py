"""File with the overhead of contestants, which the report of the race reads."""

import json
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal

from autostrada.contestants.contestant import Role
from autostrada.stats.ratio import Ratio

FORMAT = 1
FILE = Path(__file__).parents[1] / "harness" / "overhead.json"
ROUNDS_MIN = 5
"""Measurements of fewer rounds are shown but not recorded."""

Metric = Literal["duration", "cpu_time"]

DESCRIBED_BY: dict[Role, Metric] = {"client": "duration", "server": "cpu_time"}
"""
The metric that the bar applies to.

A receiving client is the bottleneck, so its duration is its own. An echo
server may be faster than its load generator, so only its CPU time is its own.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Overhead:
    """Cost of a contestant's program, as a ratio to that of its bare program."""

    contestant: str
    role: Role
    version: str
    """Version of the library."""

    duration: Ratio
    cpu_time: Ratio
    rounds: int
    date: date
    command: str

    @property
    def described(self) -> Ratio:
        """The ratio that the bar applies to."""
        ratio: Ratio = getattr(self, DESCRIBED_BY[self.role])
        return ratio

    def document(self) -> dict[str, Any]:
        """Return the entry for the file."""
        entry = asdict(self)
        entry["date"] = self.date.isoformat()
        for metric in ("duration", "cpu_time"):
            entry[metric] = {
                key: round(value, 4) for key, value in entry[metric].items()
            }
        entry["described_by"] = DESCRIBED_BY[self.role]
        return entry


def record(overhead: Overhead, file: Path = FILE) -> None:
    """Write an entry as a line of the file, in place of its program's earlier one."""
    entry = overhead.document()
    entries = {_key(each): each for each in _read(file)} | {_key(entry): entry}
    rows = ",\n".join(json.dumps(entries[key]) for key in sorted(entries))
    text = f'{{"format": {FORMAT}, "entries": [\n{rows}\n]}}\n'
    file.write_text(text, encoding="utf-8")


def _read(file: Path) -> list[dict[str, Any]]:
    if not file.exists():
        return []
    entries: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))["entries"]
    return entries


def _key(entry: dict[str, Any]) -> tuple[str, str]:
    return entry["contestant"], entry["role"]
