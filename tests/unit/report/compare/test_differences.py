"""Warnings about two sides that differ; the snapshots show all of them."""

from tests.unit.report.compare.archive import FEW

from autostrada.report.compare.differences import differences


def test_two_similar_runs_have_no_warnings(begun):
    begun.add(FEW)
    assert differences(begun.compare()) == ()


def test_two_contestants_of_a_run_differ_by_nature(changed_store):
    comparison = changed_store.compare("ada-fast", "bash-slow", 1)
    assert differences(comparison) == ()
