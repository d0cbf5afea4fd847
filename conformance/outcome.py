"""What the suite says of each case, and what it is expected to say."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EXPECTED = Path(__file__).with_name("expected.json")

PASSED = "OK"
FAILED = {"FAILED", "WRONG CODE", "UNCLEAN", "FAILED BY CLIENT", "UNIMPLEMENTED"}
"""Neither is to occur: the engine has all that is tried."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """Of one case: how messages went, and how the connection ended."""

    behavior: str
    close: str
    description: str = ""

    @property
    def has_failed(self) -> bool:
        """Whether the engine did what it must not."""
        return bool({self.behavior, self.close} & FAILED)

    def __str__(self) -> str:
        """Say both where they differ."""
        if self.behavior == self.close:
            return self.behavior
        return f"{self.behavior}, close {self.close}"


Outcomes = Mapping[str, Outcome]
"""By the number of the case."""


def read_outcomes(reports: Path) -> dict[str, Outcome]:
    """Read what the suite has written of the one engine it has seen."""
    index = json.loads((reports / "index.json").read_text(encoding="utf-8"))
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
    """Return what puts cases in order: 2.10 after 2.9."""
    return tuple(int(number) for number in case.split("."))


def group_of(case: str) -> str:
    """Return the group of a case: 12 of 12.1.3."""
    return case.partition(".")[0]


def in_short(outcomes: Outcomes) -> dict[str, Any]:
    """Return how many cases there are in each group, and those that are not just OK."""
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
    """Say what of a role's groups is not as expected."""
    expected = _expected().get(role, {"cases": {}, "other": {}})
    found = in_short(outcomes)
    for group in groups:
        wanted = expected["cases"].get(group, 0)
        if found["cases"].get(group, 0) != wanted:
            seen = found["cases"].get(group, 0)
            yield f"{role}: group {group} has {seen} cases, expected were {wanted}"
    others = {**expected["other"], **found["other"]}
    for case in sorted(others, key=order):
        wanted, seen = (side["other"].get(case, PASSED) for side in (expected, found))
        if group_of(case) in groups and wanted != seen:
            yield f"{role}: {case} is {seen}, expected was {wanted}"


def update(outcomes: Outcomes, role: str, groups: Sequence[str]) -> None:
    """Expect from here on what was found of a role's groups."""
    expected = _expected()
    found = in_short(outcomes)
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
