"""Receipts of passed cases: what is left out, and what is tested again."""

import json

import pytest
from receipts import NAME, Receipts


@pytest.fixture
def receipts(tmp_path):
    """Return a function that reads the receipts in a folder anew."""
    for path in ("tests/contract", "tests/end_to_end/peers", "kits"):
        (tmp_path / path).mkdir(parents=True)
    for name in ("vectors.json", "stocks.csv"):
        (tmp_path / "kits" / name).write_text("")
    return lambda: Receipts(tmp_path)


def test_passed_cases_are_remembered(receipts, tmp_path):
    assert receipts().passed(tmp_path) == set()
    receipts().add(tmp_path, ["one"])
    receipts().add(tmp_path, ["two"])
    assert receipts().passed(tmp_path) == {"one", "two"}


def test_a_changed_suite_is_a_different_suite(receipts, tmp_path):
    receipts().add(tmp_path, ["one"])
    (tmp_path / "tests/contract/test_more.py").write_text("")
    assert receipts().passed(tmp_path) == set()
    receipts().add(tmp_path, ["two"])
    assert json.loads((tmp_path / NAME).read_text())["cases"] == ["two"]
