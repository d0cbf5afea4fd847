"""Results of the Autobahn test suite, kept beside the receipt of a build."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from pydantic import TypeAdapter, ValidationError

from autostrada.contestants.build import Builder
from autostrada.contestants.contestant import Contestant, Role

PASSED = "OK"
FAILURES = {"FAILED", "WRONG CODE", "UNCLEAN", "FAILED BY CLIENT", "UNIMPLEMENTED"}
"""Outcomes that count as failures, in the suite's words."""

Kind = Literal["passed", "non-strict", "informational", "failed"]
"""What an outcome says about a program."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseOutcome:
    """Outcome of a case: behavior of the messages, and close of the connection."""

    behavior: str
    close: str

    @property
    def kind(self) -> Kind:
        """What the outcome says: the worse of behavior and close."""
        both = {self.behavior, self.close}
        if both & FAILURES:
            return "failed"
        if both == {PASSED}:
            return "passed"
        return "non-strict" if "NON-STRICT" in both else "informational"


@dataclass(frozen=True, kw_only=True, slots=True)
class Conformance:
    """The result of a contestant in one role."""

    suite: str
    """Version of the suite."""

    cases: Mapping[str, int]
    """Number of cases that were tested, by group."""

    others: Mapping[str, CaseOutcome]
    """Outcomes that are not of the kind ``passed`` by case, in order."""

    @classmethod
    def of(cls, suite: str, outcomes: Mapping[str, CaseOutcome]) -> Self:
        """Return the result of tested cases, given as outcomes by case."""
        counts = Counter(group_of(case) for case in outcomes)
        return cls(
            suite=suite,
            cases={group: counts[group] for group in sorted(counts, key=order)},
            others={
                case: outcomes[case]
                for case in sorted(outcomes, key=order)
                if outcomes[case].kind != "passed"
            },
        )

    @property
    def failed(self) -> tuple[str, ...]:
        """The failed cases, in order."""
        return tuple(
            case for case, outcome in self.others.items() if outcome.kind == "failed"
        )

    def counts(self) -> dict[Kind, int]:
        """Return the number of cases by kind of outcome; kinds without cases are 0."""
        kinds = Counter(outcome.kind for outcome in self.others.values())
        return {
            "passed": sum(self.cases.values()) - len(self.others),
            "non-strict": kinds["non-strict"],
            "informational": kinds["informational"],
            "failed": kinds["failed"],
        }

    def updated(self, newer: "Conformance") -> "Conformance":
        """Return this result with the groups of a newer one replaced or added."""
        cases = {**self.cases, **newer.cases}
        kept = {
            case: outcome
            for case, outcome in self.others.items()
            if group_of(case) not in newer.cases
        }
        others = {**kept, **newer.others}
        return Conformance(
            suite=newer.suite,
            cases={group: cases[group] for group in sorted(cases, key=order)},
            others={case: others[case] for case in sorted(others, key=order)},
        )


_CONFORMANCE = TypeAdapter(Conformance)


def order(case: str) -> tuple[int, ...]:
    """Return the sort key of a case or group, which orders 2.10 after 2.9."""
    return tuple(int(number) for number in case.split("."))


def group_of(case: str) -> str:
    """Return the group of a case: 12 of 12.1.3."""
    return case.partition(".")[0]


def case_ranges(cases: Iterable[str]) -> str:
    """Return cases as a text with ranges: ``2.1, 6.4.1-6.4.4``; ``""`` if none."""
    found: list[tuple[str, str]] = []
    for case in sorted(cases, key=order):
        if found and _is_next(found[-1][1], case):
            found[-1] = (found[-1][0], case)
        else:
            found.append((case, case))
    return ", ".join(
        first if first == last else f"{first}-{last}" for first, last in found
    )


def _is_next(case: str, other: str) -> bool:
    *folder, number = order(case)
    return order(other) == (*folder, number + 1)


def write_conformance(
    builder: Builder, contestant: Contestant, role: Role, result: Conformance
) -> None:
    """
    Write the result of a contestant that is built; an earlier one is replaced.

    Raises:
        OSError: the folder of the build is missing or not writable.
    """
    text = _CONFORMANCE.dump_json(result, indent=1)
    _path(builder, contestant, role).write_bytes(text + b"\n")


def read_conformance(
    builder: Builder, contestant: Contestant, role: Role
) -> Conformance | None:
    """Return the result of a contestant's sources; ``None`` if they are not tested."""
    try:
        text = _path(builder, contestant, role).read_bytes()
        return _CONFORMANCE.validate_json(text)
    except (FileNotFoundError, ValidationError):
        return None


def failed_cases(
    builder: Builder, contestant: Contestant, role: Role
) -> tuple[str, ...] | None:
    """Return the cases that a contestant fails; ``None`` if it is not tested."""
    result = read_conformance(builder, contestant, role)
    return result.failed if result else None


def _path(builder: Builder, contestant: Contestant, role: Role) -> Path:
    # Variants share a build and differ in their outcomes.
    return builder.target(contestant) / f"conformance-{contestant.name}-{role}.json"
