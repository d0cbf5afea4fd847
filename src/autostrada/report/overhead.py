"""What our programs around a library cost, as ``make bench`` has recorded it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autostrada.report import number

RECORDED = Path(__file__).parents[3] / "benches" / "harness" / "overhead.json"
"""In a checkout; an installed package has none."""


def overheads(path: Path = RECORDED) -> Mapping[tuple[str, str], Mapping[str, Any]]:
    """Return what was recorded, by contestant and role; nothing without a record."""
    if not path.is_file():
        return {}
    recorded = json.loads(path.read_text(encoding="utf-8"))
    return {(each["contestant"], each["role"]): each for each in recorded["entries"]}


def overhead_of(entry: Mapping[str, Any] | None) -> tuple[str, str]:
    """Write how many times the bare program's a contestant takes, and its interval."""
    if entry is None:
        return "", ""
    ratio = entry[entry["described_by"]]
    bounds = number.between(ratio["low"], ratio["high"], like=ratio["value"])
    return number.times(ratio["value"]), bounds
