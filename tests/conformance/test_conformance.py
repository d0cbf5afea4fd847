"""The short form of `make conformance`, which takes about a minute, in both roles."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest
from conformance.outcome import differences
from conformance.roles import SHORT_GROUPS, run_role
from conformance.suite import fetch, missing_tools

from autostrada.engine.process import find_engine


@pytest.fixture(scope="module")
def suite():
    """Return the test suite; download it unless that was done before."""
    if (missing := missing_tools()) is not None:
        assert "CI" not in os.environ, missing
        pytest.skip(missing)
    return fetch()


ROLES = ("server", "client")


@pytest.fixture(scope="module")
def outcomes(suite, tmp_path_factory):
    """Return the outcomes of each role; the roles wait at the same time."""

    # Pytest's factory is not safe for threads.
    folders = {role: tmp_path_factory.mktemp(role) for role in ROLES}

    def run(role):
        engine, reports = find_engine(), folders[role] / "reports"
        found = run_role(role, SHORT_GROUPS, engine, suite, reports)
        # The suite gives most cases a second, whatever else the machine has to do.
        failed = [case for case, outcome in found.items() if outcome.has_failed]
        if not failed:
            return found
        return {**found, **run_role(role, failed, engine, suite, reports)}

    with ThreadPoolExecutor(len(ROLES)) as threads:
        return dict(zip(ROLES, threads.map(run, ROLES), strict=True))


@pytest.mark.parametrize("role", ROLES)
def test_every_case_has_the_expected_outcome(outcomes, role):
    failed = {
        case: f"{outcome}: {outcome.description}"
        for case, outcome in outcomes[role].items()
        if outcome.has_failed
    }
    assert not failed
    assert not list(differences(outcomes[role], role, SHORT_GROUPS))
