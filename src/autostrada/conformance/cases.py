"""The cases of the suite: their groups, and the reports on them."""

import json
from pathlib import Path

from autostrada.contestants.conformance import CaseOutcome

GROUPS = ("1", "2", "3", "4", "5", "6", "7", "9", "10", "12", "13")
"""All groups of the suite; it has no groups 8 and 11."""

COMPRESSED_GROUPS = ("12", "13")
"""Groups whose cases need permessage-deflate."""

SHORT_GROUPS = ("1", "2", "3", "4", "5", "6", "7", "10")
"""Groups without long cases."""

AGENT = "program"
"""Name of the tested program in the suite's reports."""

INDEX = "index.json"
"""File of the suite's reports that has the outcomes of all cases."""


def read_outcomes(reports: Path) -> dict[str, CaseOutcome]:
    """
    Return the outcomes by case in the suite's reports.

    They lack the cases for which no connection was opened.
    """
    index = json.loads((reports / INDEX).read_text(encoding="utf-8"))
    return {
        case: CaseOutcome(behavior=row["behavior"], close=row["behaviorClose"])
        for case, row in index.get(AGENT, {}).items()
    }
