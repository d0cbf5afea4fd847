"""Overhead of the contestants' harness over a bare program of the same library."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parents[3] / "benches" / "harness" / "overhead.json"
"""Record written by ``make bench`` in a checkout; an installed package has none."""


@cache
def overheads(path: Path = RECORDED) -> Mapping[tuple[str, str], Mapping[str, Any]]:
    """Return the recorded entries by contestant and role; empty without a record."""
    if not path.is_file():
        return {}
    recorded = json.loads(path.read_text(encoding="utf-8"))
    return {
        (entry["contestant"], entry["role"]): entry for entry in recorded["entries"]
    }
