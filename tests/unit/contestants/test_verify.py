"""The contestants that the suite tests, and its report on each of them."""

import pytest

from autostrada.contestants import verify as module
from autostrada.contestants.verify import (
    EXTRA_CONTESTANTS,
    NAMES,
    ContestantOutcome,
    lines,
    read_report,
    selected,
    verify,
)

REPORT = """
<testsuites><testsuite>
  <testcase classname="tests.contract.test_count" name="test_it_accepts_a_message_of_16_mib[ada-fast]">
    <properties><property name="contestant" value="ada-fast"/><property name="clause" value="3.6"/></properties></testcase>
  <testcase classname="tests.contract.test_count" name="test_it_ends_on_sigterm[ada-fast]">
    <properties><property name="contestant" value="ada-fast"/><property name="clause" value="2.4"/></properties>
    <failure message="AssertionError: assert 3 == 0&#10; and so on"/></testcase>
  <testcase classname="tests.contract.test_count" name="test_it_counts_what_is_pushed_and_closes_with_1000[ada-fast]">
    <properties><property name="contestant" value="ada-fast"/><property name="clause" value="3.2"/></properties>
    <failure message="AssertionError: the connection was closed with status 1002&#10;assert False"/></testcase>
  <testcase classname="tests.contract.server.test_echo" name="test_b[ada-fast+tasks]">
    <properties><property name="contestant" value="ada-fast+tasks"/><property name="clause" value="4.2"/></properties>
    <error message="failed on setup with &quot;AssertionError: it ended with status 7&quot;"/></testcase>
  <testcase classname="tests.contract.server.test_echo" name="test_c[ada-fast+tasks]">
    <properties><property name="contestant" value="ada-fast+tasks"/><property name="clause" value="4.2"/></properties>
    <failure message="Failed: it ended with status 7"/></testcase>
  <testcase classname="tests.contract.server.test_echo" name="test_d[ada-fast+tasks]">
    <properties><property name="contestant" value="ada-fast+tasks"/><property name="clause" value="4.2"/></properties>
    <failure message="websockets.exceptions.ConnectionClosedError: received 1002 (protocol error); then sent 1002"/></testcase>
  <testcase name="d"><properties><property name="contestant" value="ada-small"/>
    </properties><skipped message="no"/></testcase>
  <testcase name="e"/>
</testsuite></testsuites>
"""  # noqa: E501


@pytest.fixture(autouse=True)
def catalog(monkeypatch, catalog_builder):
    def find(extra_contestants=None):
        return type(catalog_builder.catalog)(
            root=catalog_builder.catalog.root, extra_contestants=extra_contestants
        )

    monkeypatch.setattr(module, "find_catalog", find)


def test_without_names_all_are_tested(catalog_builder):
    catalog_builder.add("small")
    assert set(selected({})) == set(catalog_builder.contestants)


def test_a_name_selects_its_variants_and_no_longer_names(catalog_builder):
    catalog_builder.add("faster")
    assert set(selected({NAMES: "ada-fast"})) == {"ada-fast", "ada-fast+tasks"}


def test_a_folder_outside_the_repository_is_tested(catalog_builder, tmp_path):
    (catalog_builder.catalog.root / "contestants").rename(tmp_path / "mine")
    assert not selected({})
    assert "ada-fast" in selected({EXTRA_CONTESTANTS: str(tmp_path / "mine")})


def printed_lines(name):
    return list(lines(name, read_report(REPORT)[name]))


def test_a_violated_clause_is_a_line_that_says_what_came():
    assert printed_lines("ada-fast") == [
        "failed  ada-fast: 2 clauses, 1 cases passed",
        "  2.4   not met: it ends on sigterm",
        "  3.2   the connection was closed with status 1002",
    ]


def test_cases_of_a_clause_with_the_same_cause_are_one_line():
    assert printed_lines("ada-fast+tasks") == [
        "failed  ada-fast+tasks: 1 clause, 0 cases passed",
        "  4.2   it ended with status 7 (2 cases)",
        "  4.2   the connection was closed with status 1002",
    ]


def test_a_contestant_without_violations_is_one_line():
    assert list(lines("ada-fast", ContestantOutcome(passed=7))) == [
        "ok      ada-fast: 7 cases"
    ]


def test_skipped_cases_are_not_reported():
    assert "ada-small" not in read_report(REPORT)


def test_a_contestant_that_cannot_be_built_is_not_verified(catalog_builder, capsys):
    catalog_builder.add("broken", build="exit 1")
    assert verify(["ada-broken"], None, None) == 1
    assert "failed" in capsys.readouterr().out
