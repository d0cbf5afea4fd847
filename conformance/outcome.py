"""Outcomes of the suite's cases, and the expected outcomes."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EXPECTED = Path(__file__).with_name("expected.json")

PASSED = "OK"
FAILED = {"FAILED", "WRONG CODE", "UNCLEAN", "FAILED BY CLIENT", "UNIMPLEMENTED"}
"""Outcomes that count as failures; the engine implements everything that is tested."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """Outcome of a case: behavior of the messages, and close of the connection."""

    behavior: str
    close: str
    description: str = ""

    @property
    def has_failed(self) -> bool:
        """Whether behavior or close is a failure."""
        return bool({self.behavior, self.close} & FAILED)

    def __str__(self) -> str:
        """Return the behavior, and the close if it differs."""
        if self.behavior == self.close:
            return self.behavior
        return f"{self.behavior}, close {self.close}"


INDEX = "index.json"
"""File of the suite's reports that names the others."""

Outcomes = Mapping[str, Outcome]
"""Outcomes by the number of the case."""


def read_outcomes(reports: Path) -> dict[str, Outcome]:
    """Read the suite's report about the one engine that it has tested."""
    index = json.loads((reports / INDEX).read_text(encoding="utf-8"))
    ((_, cases),) = index.items()
    return {
        case: _outcome(reports / row["reportfile"], row)
        for case, row in sorted(cases.items(), key=lambda item: order(item[0]))
    }


def _outcome(report: Path, row: Mapping[str, str]) -> Outcome:
    described = json.loads(report.read_text(encoding="utf-8"))
    return Outcome(
        behavior=row["behavior"],
        close=row["behaviorClose"],
        description=" ".join(described["description"].split("<")[0].split()),
    )


def order(case: str) -> tuple[int, ...]:
    """Return the sort key of a case, which orders 2.10 after 2.9."""
    return tuple(int(number) for number in case.split("."))


def group_of(case: str) -> str:
    """Return the group of a case: 12 of 12.1.3."""
    return case.partition(".")[0]


def summary(outcomes: Outcomes) -> dict[str, Any]:
    """Return the number of cases in each group, and the outcomes other than OK."""
    counts = Counter(group_of(case) for case in outcomes)
    return {
        "cases": dict(sorted(counts.items(), key=lambda item: int(item[0]))),
        "other": {
            case: str(outcome)
            for case, outcome in outcomes.items()
            if str(outcome) != PASSED
        },
    }


def differences(outcomes: Outcomes, role: str, groups: Sequence[str]) -> Iterator[str]:
    """Yield a line for each unexpected outcome in the groups of a role."""
    expected = _expected().get(role, {"cases": {}, "other": {}})
    found = summary(outcomes)
    for group in groups:
        wanted = expected["cases"].get(group, 0)
        if found["cases"].get(group, 0) != wanted:
            actual = found["cases"].get(group, 0)
            yield f"{role}: group {group} has {actual} cases, expected {wanted}"
    others = {**expected["other"], **found["other"]}
    for case in sorted(others, key=order):
        wanted, actual = (side["other"].get(case, PASSED) for side in (expected, found))
        if group_of(case) in groups and wanted != actual:
            yield f"{role}: {case} is {actual}, expected {wanted}"


def update(outcomes: Outcomes, role: str, groups: Sequence[str]) -> None:
    """Write the outcomes of a role's groups to ``expected.json``."""
    expected = _expected()
    found = summary(outcomes)
    before = expected.get(role, {"cases": {}, "other": {}})
    kept = {
        case: text
        for case, text in before["other"].items()
        if group_of(case) not in groups
    }
    cases = before["cases"] | found["cases"]
    other = kept | found["other"]
    expected[role] = {
        "cases": {group: cases[group] for group in sorted(cases, key=int)},
        "other": {case: other[case] for case in sorted(other, key=order)},
    }
    text = json.dumps(dict(sorted(expected.items())), indent=1)
    EXPECTED.write_text(f"{text}\n", encoding="utf-8")


def _expected() -> dict[str, Any]:
    if not EXPECTED.exists():
        return {}
    expected: dict[str, Any] = json.loads(EXPECTED.read_text(encoding="utf-8"))
    return expected
