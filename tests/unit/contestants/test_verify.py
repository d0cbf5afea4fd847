"""Which contestants the suite is about, and what its report says of each."""

import pytest

from autostrada.contestants import verify as module
from autostrada.contestants.verify import (
    FURTHER,
    NAMES,
    Verified,
    invited,
    lines,
    read_report,
    verify,
)
from autostrada.errors import UsageError

REPORT = """
<testsuites><testsuite>
  <testcase classname="tests.contract.test_contract" name="test_one_message_is_enough[ada-fast]">
    <properties><property name="contestant" value="ada-fast"/></properties></testcase>
  <testcase classname="tests.contract.test_contract" name="test_it_writes_no_file[ada-fast]">
    <properties><property name="contestant" value="ada-fast"/></properties>
    <failure message="AssertionError: assert 3 == 0&#10; and so on"/></testcase>
  <testcase classname="tests.contract.server.test_echo" name="test_b[ada-fast+tasks]">
    <properties><property name="contestant" value="ada-fast+tasks"/></properties>
    <error message="no"/></testcase>
  <testcase classname="tests.contract.server.test_echo" name="test_c[ada-fast+tasks]">
    <properties><property name="contestant" value="ada-fast+tasks"/></properties>
    <failure message="no"/></testcase>
  <testcase name="d"><properties><property name="contestant" value="ada-small"/>
    </properties><skipped message="no"/></testcase>
  <testcase name="e"/>
</testsuite></testsuites>
"""  # noqa: E501


@pytest.fixture(autouse=True)
def catalog(monkeypatch, fair):
    def find(further=None):
        return type(fair.catalog)(root=fair.catalog.root, further=further)

    monkeypatch.setattr(module, "find_catalog", find)


def test_without_names_all_are_invited(fair):
    fair.add("small")
    assert set(invited({})) == set(fair.contestants)


def test_a_name_invites_its_variants_and_nobody_with_a_longer_name(fair):
    fair.add("faster")
    assert set(invited({NAMES: "ada-fast"})) == {"ada-fast", "ada-fast+tasks"}


def test_a_folder_of_ones_own_is_looked_at(fair, tmp_path):
    (fair.catalog.root / "contestants").rename(tmp_path / "mine")
    assert not invited({})
    assert "ada-fast" in invited({FURTHER: str(tmp_path / "mine")})


def told(name):
    return list(lines(name, read_report(REPORT)[name]))


def test_a_clause_that_is_not_kept_is_a_line_with_what_came():
    assert told("ada-fast") == [
        "failed  ada-fast: 1 clauses, 1 cases passed",
        "  2.1   expected: it writes no file; came: assert 3 == 0",
    ]


def test_cases_of_a_clause_with_one_cause_are_one_line():
    assert told("ada-fast+tasks") == [
        "failed  ada-fast+tasks: 1 clauses, 0 cases passed",
        "  8.3   expected: b (and 1 more); came: no",
    ]


def test_what_keeps_all_clauses_is_one_line():
    assert list(lines("ada-fast", Verified(passed=7))) == ["ok      ada-fast: 7 cases"]


def test_what_does_not_apply_is_not_said():
    assert "ada-small" not in read_report(REPORT)


def test_a_contestant_that_cannot_be_built_is_not_verified(fair, capsys):
    fair.add("broken", build="exit 1")
    assert verify(["ada-broken"], None, None) == 1
    assert "failed" in capsys.readouterr().out


def test_a_name_that_is_unknown_is_answered_with_the_nearest():
    with pytest.raises(UsageError, match="there is ada-fast"):
        verify(["ada-fist"], None, None)
