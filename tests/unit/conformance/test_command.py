"""Programs that are tested, known results, the suite's reports, and what is printed."""

import json
from pathlib import Path

import pytest

from autostrada.conformance import command
from autostrada.conformance.cases import GROUPS, SHORT_GROUPS, read_outcomes
from autostrada.conformance.command import (
    SuiteProgram,
    check_conformance,
    choose_programs,
    result_text,
)
from autostrada.conformance.suite import suite_version
from autostrada.contestants.build import Builder
from autostrada.contestants.catalog import Catalog
from autostrada.contestants.conformance import CaseOutcome, Conformance, failed_cases
from autostrada.errors import Crashed, UsageError

PASSED = CaseOutcome(behavior="OK", close="OK")
FAILED = CaseOutcome(behavior="FAILED", close="OK")

MANIFEST = """
library  = "{name}"
homepage = ""
protocol = "{protocol}"
version.command = ["echo", "1.2.3"]
server.command  = ["./server"]
server.deflate  = true
client.command  = ["./client"]
client.delivers = "bytes"
client.validates_utf8 = true
client.reply    = {reply}

[[variant]]
name     = "fork"
env      = {{}}
programs = ["server"]
"""


@pytest.fixture
def catalog(tmp_path):
    catalog = Catalog(root=tmp_path)
    for name, protocol, reply in (
        ("fast", "websocket", "true"),
        ("counting", "websocket", "false"),
        ("framed", "framed-tcp", "true"),
    ):
        folder = tmp_path / "contestants" / f"ada-{name}"
        folder.mkdir(parents=True)
        text = MANIFEST.format(name=name, protocol=protocol, reply=reply)
        (folder / "contestant.toml").write_text(text)
    return catalog


def chosen(catalog, *names, groups=None, role=None):
    programs = choose_programs(catalog.contestants(), names, groups, role)
    return [(each.name, each.role, each.groups) for each in programs]


def test_without_names_all_programs_that_echo_are_chosen(catalog):
    assert chosen(catalog) == [
        ("ada-counting", "server", SHORT_GROUPS),
        ("ada-counting+fork", "server", SHORT_GROUPS),
        ("ada-fast", "client", SHORT_GROUPS),
        ("ada-fast", "server", SHORT_GROUPS),
        ("ada-fast+fork", "server", SHORT_GROUPS),
    ]


def test_only_the_programs_of_a_role_are_chosen(catalog):
    assert chosen(catalog, role="client") == [("ada-fast", "client", SHORT_GROUPS)]
    with pytest.raises(UsageError, match="no client to test"):
        chosen(catalog, "ada-counting", role="client")


def test_groups_with_compression_are_for_programs_that_claim_it(catalog):
    assert chosen(catalog, "ada-fast", groups="9,12") == [
        ("ada-fast", "client", ("9",)),
        ("ada-fast", "server", ("9", "12")),
    ]
    assert chosen(catalog, "ada-fast+fork", groups="all") == [
        ("ada-fast+fork", "server", GROUPS)
    ]


def test_the_engine_is_tested_in_all_groups(catalog):
    assert chosen(catalog, "reference") == [
        ("reference", "client", GROUPS),
        ("reference", "server", GROUPS),
    ]
    first, _ = chosen(catalog, "reference", groups="9")
    assert first == ("reference", "client", ("9",))


@pytest.mark.parametrize(
    ("names", "groups", "message"),
    [
        (["ada-fist"], None, "did you mean ada-fast"),
        (["ada-framed"], None, "ada-framed has no program that the suite can test"),
        (["ada-fast"], "8", "unknown group '8'"),
        (["ada-fast"], "", "unknown group ''"),
    ],
)
def test_invalid_choices_are_refused(catalog, names, groups, message):
    with pytest.raises(UsageError, match=message):
        chosen(catalog, *names, groups=groups)


def test_groups_that_apply_to_no_program_are_refused(catalog):
    path = catalog.root / "contestants" / "ada-fast" / "contestant.toml"
    path.write_text(path.read_text().replace("server.deflate  = true", ""))
    with pytest.raises(UsageError, match="apply only to programs whose manifest"):
        chosen(catalog, "ada-fast", groups="12,13")


class FakeSuite:
    """Takes the place of the suite; each group has one case."""

    def __init__(self):
        self.programs = []
        self.outcome = PASSED
        self.error = None

    def run_role(self, bench, subject, role, groups, announce):
        self.programs.append((subject.name, role, groups))
        announce("1.1.1")
        if self.error:
            raise self.error
        outcomes = {f"{group}.1": self.outcome for group in groups}
        return Conformance.of(suite_version(), outcomes)


@pytest.fixture
def tested(monkeypatch, catalog):
    tested = FakeSuite()
    monkeypatch.setattr(command, "find_catalog", lambda further: catalog)
    monkeypatch.setattr(command, "fetch", lambda folder: None)
    monkeypatch.setattr(command, "find_engine", lambda: Path("engine"))
    monkeypatch.setattr(command, "run_role", tested.run_role)
    return tested


def check(*names, **options):
    return check_conformance(names, jobs=1, **options)


def results(capsys):
    """Return the lines of results."""
    words = ("ok", "failed", "error")
    printed = capsys.readouterr().out.splitlines()
    return sorted(line for line in printed if line.startswith(words))


def test_what_has_a_result_is_printed_and_not_tested_again(tested, capsys):
    assert check("ada-fast") == 0
    first = results(capsys)
    assert first == [
        "ok      ada-fast client: 8 passed",
        "ok      ada-fast server: 8 passed",
    ]
    assert len(tested.programs) == 2
    assert check("ada-fast") == 0
    assert results(capsys) == first
    assert len(tested.programs) == 2
    assert check("ada-fast", is_repeated=True) == 0
    assert len(tested.programs) == 4


def test_groups_without_a_result_are_added(tested, capsys):
    check("ada-fast+fork", groups="1,2")
    check("ada-fast+fork", groups="2,9")
    assert [groups for _, _, groups in tested.programs] == [("1", "2"), ("9",)]
    assert results(capsys)[-1] == "ok      ada-fast+fork server: 3 passed"


def test_failed_cases_of_a_library_are_a_result(tested, catalog, capsys):
    tested.outcome = FAILED
    assert check("ada-fast", groups="2,9") == 0
    assert results(capsys)[0] == "failed  ada-fast client: 2 failed: 2.1, 9.1"
    contestant = catalog.contestants()["ada-fast"]
    builder = Builder.of(catalog)
    assert failed_cases(builder, contestant, "client") == ("2.1", "9.1")


def test_failed_cases_of_the_engine_are_an_error(tested):
    assert check("reference") == 0
    tested.outcome = FAILED
    assert check("reference") == 1
    assert len(tested.programs) == 4


def test_a_program_that_cannot_be_tested_is_an_error(tested, catalog, capsys):
    tested.error = Crashed("ended before it listened: no memory")
    assert check("ada-fast+fork") == 1
    assert results(capsys) == [
        "error   ada-fast+fork server: ended before it listened: no memory"
    ]
    contestant = catalog.contestants()["ada-fast+fork"]
    assert failed_cases(Builder.of(catalog), contestant, "server") is None


def test_a_contestant_that_cannot_be_built_is_an_error(tested, catalog, capsys):
    path = catalog.root / "contestants" / "ada-fast" / "contestant.toml"
    path.write_text(path.read_text().replace('"echo", "1.2.3"', '"false"'))
    assert check("ada-fast") == 1
    assert not tested.programs
    assert "failed  ada-fast" in capsys.readouterr().out


def test_a_contestant_that_is_not_installed_is_an_error_if_it_was_named(
    tested, catalog, capsys
):
    path = catalog.root / "contestants" / "ada-fast" / "contestant.toml"
    requirement = '{ command = ["false"], matches = "GNAT", install = "" }'
    path.write_text(f"requires.gnat = {requirement}\n{path.read_text()}")
    assert check() == 0
    assert check("ada-fast", "ada-counting") == 1
    assert {name for name, _, _ in tested.programs} == {
        "ada-counting",
        "ada-counting+fork",
    }
    assert "not installed: ada-fast (autostrada doctor" in capsys.readouterr().out


def test_failed_cases_are_wrapped_at_80_columns():
    outcomes = {f"6.{number}.1": FAILED for number in range(1, 30)}
    found = Conformance.of("1", {"1.1.1": PASSED} | outcomes)
    program = SuiteProgram(contestant=None, role="client", groups=("1", "6"))
    first, *further = result_text(program, found).splitlines()
    assert first.startswith("failed  reference client: 1 passed, 29 failed: 6.1.1,")
    assert further
    assert all(line.startswith(" " * 8 + "6.") for line in further)
    assert max(map(len, [first, *further])) <= 80


def test_the_reports_of_the_suite_are_read(tmp_path):
    row = {"behavior": "OK", "behaviorClose": "UNCLEAN", "reportfile": "one.json"}
    (tmp_path / "index.json").write_text(json.dumps({"program": {"12.1.3": row}}))
    unclean = CaseOutcome(behavior="OK", close="UNCLEAN")
    assert read_outcomes(tmp_path) == {"12.1.3": unclean}


def test_reports_without_connections_have_no_outcomes(tmp_path):
    (tmp_path / "index.json").write_text("{}")
    assert read_outcomes(tmp_path) == {}
