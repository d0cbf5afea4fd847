"""The engine in both roles; ``make conformance`` adds the groups with long cases."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from autostrada.conformance.cases import GROUPS, SHORT_GROUPS
from autostrada.conformance.roles import run_role
from autostrada.contestants.contestant import ROLES

CASES = {
    **{"1": 16, "2": 11, "3": 7, "4": 10, "5": 20, "6": 145, "7": 37, "9": 54},
    **{"10": 1, "12": 90, "13": 126},
}
"""Number of cases in each group."""

INFORMATIONAL = ["7.1.6", "7.13.1", "7.13.2"]
"""Cases that RFC 6455 does not decide; docs/conformance.md has the reasons."""


@pytest.fixture(scope="module")
def groups(pytestconfig):
    is_whole = pytestconfig.getoption("all_groups", default=False)
    return GROUPS if is_whole else SHORT_GROUPS


@pytest.fixture(scope="module")
def results(bench, groups):
    """Return the result in each role; the roles wait at the same time."""

    def run(role):
        return run_role(bench, bench.engine, role, groups)

    with ThreadPoolExecutor(len(ROLES)) as threads:
        return dict(zip(ROLES, threads.map(run, ROLES), strict=True))


@pytest.mark.parametrize("role", ROLES)
def test_every_case_has_the_expected_outcome(results, groups, role):
    found = results[role]
    assert not found.failed
    assert found.cases == {group: CASES[group] for group in groups}
    assert {case: each.kind for case, each in found.others.items()} == dict.fromkeys(
        INFORMATIONAL, "informational"
    )
