"""Which contestants the suite is about, and what its report says of each."""

from collections import Counter

import pytest
from rich.console import Console

from autostrada.contestants import verify as module
from autostrada.contestants.verify import (
    FURTHER,
    NAMES,
    invited,
    read_report,
    table,
    verify,
)
from autostrada.errors import UsageError

REPORT = """
<testsuites><testsuite>
  <testcase name="a"><properties><property name="contestant" value="ada-fast"/>
    </properties></testcase>
  <testcase name="b"><properties><property name="contestant" value="ada-fast"/>
    </properties><failure message="no"/></testcase>
  <testcase name="c"><properties><property name="contestant" value="ada-fast+tasks"/>
    </properties><error message="no"/></testcase>
  <testcase name="d"><properties><property name="contestant" value="ada-fast+tasks"/>
    </properties><skipped message="no"/></testcase>
  <testcase name="e"/>
</testsuite></testsuites>
"""


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


def test_a_report_is_counted_by_contestant():
    assert read_report(REPORT) == {
        "ada-fast": Counter(passed=1, failed=1),
        "ada-fast+tasks": Counter(failed=1, skipped=1),
    }


def test_the_table_has_a_row_for_each(capsys):
    Console(width=80).print(table(read_report(REPORT)))
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows == [
        ["contestant", "passed", "failed", "skipped"],
        ["ada-fast", "1", "1"],
        ["ada-fast+tasks", "1", "1"],
    ]


def test_a_contestant_that_cannot_be_built_is_not_verified(fair, capsys):
    fair.add("broken", build="exit 1")
    assert verify(["ada-broken"], None, None) == 1
    assert "failed" in capsys.readouterr().out


def test_a_name_that_is_unknown_is_answered_with_the_nearest():
    with pytest.raises(UsageError, match="there is ada-fast"):
        verify(["ada-fist"], None, None)
