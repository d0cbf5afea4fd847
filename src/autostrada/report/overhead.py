"""Overhead of the contestants' harness over a bare program of the same library."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from autostrada.report import number

RECORDED = Path(__file__).parents[3] / "benches" / "harness" / "overhead.json"
"""Record written by ``make bench`` in a checkout; an installed package has none."""


@cache
def overheads(path: Path = RECORDED) -> Mapping[tuple[str, str], Mapping[str, Any]]:
    """Return the recorded entries by contestant and role; empty without a record."""
    if not path.is_file():
        return {}
    recorded = json.loads(path.read_text(encoding="utf-8"))
    return {(each["contestant"], each["role"]): each for each in recorded["entries"]}


def overhead_of(entry: Mapping[str, Any] | None) -> tuple[str, str]:
    """
    Format the ratio of a contestant's cost to that of the bare program, and its bounds.

    Both texts are empty if nothing was recorded.
    """
    if entry is None:
        return "", ""
    ratio = entry[entry["described_by"]]
    bounds = number.between(ratio["low"], ratio["high"], like=ratio["value"])
    return number.times(ratio["value"]), bounds
