"""Expected outcomes: how outcomes are compared with them, and how they are stored."""

import json

import pytest
from conformance import outcome
from conformance.outcome import Outcome, differences, group_of, read_outcomes, update

PASSED = Outcome(behavior="OK", close="OK")
INFORMATIONAL = Outcome(behavior="INFORMATIONAL", close="INFORMATIONAL")


@pytest.fixture
def expected(tmp_path, monkeypatch):
    """Return the path of the file of expected outcomes, which does not exist yet."""
    file = tmp_path / "expected.json"
    monkeypatch.setattr(outcome, "EXPECTED", file)
    return file


def test_recorded_outcomes_are_expected_afterwards(expected):
    found = {"1.1": PASSED, "2.9": INFORMATIONAL, "2.10": PASSED}
    assert len(list(differences(found, "client", ["1", "2"]))) == 3
    update(found, "client", ["1", "2"])
    assert not list(differences(found, "client", ["1", "2"]))
    assert json.loads(expected.read_text()) == {
        "client": {"cases": {"1": 1, "2": 2}, "other": {"2.9": "INFORMATIONAL"}}
    }


@pytest.mark.usefixtures("expected")
def test_each_kind_of_difference_is_reported():
    update({"1.1": PASSED, "2.9": INFORMATIONAL}, "client", ["1", "2"])
    broken = Outcome(behavior="OK", close="WRONG CODE")
    for found, told in [
        ({"1.1": PASSED, "2.9": PASSED}, ["2.9 is OK, expected INFORMATIONAL"]),
        ({"1.1": broken, "2.9": INFORMATIONAL}, ["1.1 is OK, close WRONG CODE"]),
        ({"2.9": INFORMATIONAL}, ["group 1 has 0 cases, expected 1"]),
    ]:
        said = list(differences(found, "client", ["1", "2"]))
        assert len(said) == len(told)
        assert all(part in text for part, text in zip(told, said, strict=True))
    assert not list(differences({"1.1": PASSED}, "client", ["1"]))


@pytest.mark.usefixtures("expected")
def test_other_groups_and_roles_are_kept():
    update({"1.1": INFORMATIONAL, "2.1": PASSED}, "client", ["1", "2"])
    update({"2.1": INFORMATIONAL}, "client", ["2"])
    update({"1.1": PASSED}, "server", ["1"])
    found = {"1.1": INFORMATIONAL, "2.1": INFORMATIONAL}
    assert not list(differences(found, "client", ["1", "2"]))


def test_the_reports_of_the_suite_are_parsed(tmp_path):
    row = {"behavior": "OK", "behaviorClose": "UNCLEAN", "reportfile": "one.json"}
    (tmp_path / "index.json").write_text(json.dumps({"engine": {"12.1.3": row}}))
    described = {"description": "Send   a\ntext.<br>More."}
    (tmp_path / "one.json").write_text(json.dumps(described))
    ((case, found),) = read_outcomes(tmp_path).items()
    assert (group_of(case), str(found)) == ("12", "OK, close UNCLEAN")
    assert (found.description, found.has_failed) == ("Send a text.", True)
