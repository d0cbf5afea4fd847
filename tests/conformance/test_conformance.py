"""The short form of `make conformance`, which takes about a minute, in both roles."""

import os

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


@pytest.mark.parametrize("role", ["server", "client"])
def test_every_case_has_the_expected_outcome(suite, role, tmp_path):
    outcomes = run_role(role, SHORT_GROUPS, find_engine(), suite, tmp_path / "reports")
    failed = {
        case: f"{outcome}: {outcome.description}"
        for case, outcome in outcomes.items()
        if outcome.has_failed
    }
    assert not failed
    assert not list(differences(outcomes, role, SHORT_GROUPS))
