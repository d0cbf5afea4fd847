"""Whether a side fails cases of the Autobahn test suite that the other one passes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rich.console import Console

from autostrada.conformance.command import (
    SuiteProgram,
    groups_of,
    roles_of,
    test_programs,
)
from autostrada.contestants.build import Builder
from autostrada.contestants.conformance import case_ranges
from autostrada.contestants.contestant import Contestant, Role
from autostrada.errors import UsageError
from autostrada.regress.sides import RegressSide
from autostrada.report.compare.gate import GateResult

CONDITION = "conformance"
"""Name of the result among those of conditions."""


def compare_conformance(sides: Sequence[RegressSide], builder: Builder) -> GateResult:
    """
    Test both sides, which are built, unless they are tested; compare the failed cases.

    Raises:
        UsageError: the suite cannot test them.
        AutostradaError: the suite cannot be downloaded.
    """
    before, after = (_programs(side.contestant) for side in sides)
    roles = before.keys() & after.keys()
    if not roles:
        raise UsageError("--conformance: the suite can test no program of both sides")
    left = [
        replace(program, groups=groups)
        for programs in (before, after)
        for program in programs.values()
        if (groups := program.untested_groups(builder))
    ]
    # The standard output may be a report in Markdown or JSON.
    console = Console(stderr=True, soft_wrap=True, highlight=False, markup=False)
    if left and not test_programs(left, builder, None, console):
        raise UsageError("--conformance: the suite cannot test a side, see above")
    failed, passed = [], []
    for role in sorted(roles):
        known, found = (each[role].earlier_result(builder) for each in (before, after))
        assert known, "tested"
        assert found, "tested"
        cases = case_ranges({*found.failed} - {*known.failed})
        if cases:
            failed.append(f"{role}: fails {cases}, which A passes")
        else:
            passed.append(f"{role}: fails no case that A passes")
    return GateResult(condition=CONDITION, failed=tuple(failed), passed=tuple(passed))


def _programs(contestant: Contestant) -> Mapping[Role, SuiteProgram]:
    """Return the programs of a contestant that the suite can test, by role."""
    return {
        role: SuiteProgram(
            contestant=contestant,
            role=role,
            groups=groups_of(contestant, role, None),
        )
        for role in roles_of(contestant)
    }
