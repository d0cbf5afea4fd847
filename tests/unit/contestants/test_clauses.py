"""The clauses that cases of the contract suite say they check exist."""

import re

import pytest

from autostrada.contestants.catalog import find_catalog

ROOT = find_catalog().root
SUITE = [
    path.read_text(encoding="utf-8")
    for path in ROOT.glob("tests/contract/**/test_*.py")
    if path.stem not in {"test_kits", "test_protocols", "test_receipts"}
]
CLAUSE = re.compile(r'pytest\.mark\.clause\("([^"]+)"\)')


@pytest.mark.parametrize(
    "clause", sorted({each for text in SUITE for each in CLAUSE.findall(text)})
)
def test_a_clause_is_in_its_document(clause):
    document, _, number = clause.rpartition(" ")
    title = rf"^{re.escape(number)}\. " if "." in clause else rf"^## {number}\. "
    text = (ROOT / "docs" / f"{document or 'contract'}.md").read_text("utf-8")
    assert re.search(title, text, re.M)


def test_each_file_of_cases_has_a_clause():
    for text in SUITE:
        assert re.search(r"^pytestmark = .*mark\.clause\(", text, re.M)
