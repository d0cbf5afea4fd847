"""Cases of the contract suite and the clauses that they check exist."""

import re

import pytest

from autostrada.contestants.catalog import find_catalog
from autostrada.contestants.clauses import CLAUSES, PUBLISHED, SECTIONS, clause_of

ROOT = find_catalog().root
CASES = {
    case
    for path in ROOT.glob("tests/contract/**/test_*.py")
    for case in re.findall(r"^(?:async )?def test_(\w+)", path.read_text(), re.M)
}


@pytest.mark.parametrize("clause", sorted({*CLAUSES.values(), *SECTIONS.values()}))
def test_a_clause_is_in_its_document(clause):
    name = "published.md" if clause.startswith(PUBLISHED) else "contract.md"
    number = re.escape(clause.removeprefix(PUBLISHED))
    title = rf"^{number}\. " if "." in clause else rf"^## {number}\. "
    document = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert re.search(title, document, re.M)


@pytest.mark.parametrize("case", CLAUSES)
def test_a_case_with_a_clause_is_in_the_suite(case):
    assert case in CASES


@pytest.mark.parametrize("module", SECTIONS)
def test_a_file_with_a_section_is_in_the_suite(module):
    assert (ROOT / "tests/contract" / f"{module.replace('.', '/')}.py").is_file()


def test_a_case_has_its_own_clause_or_that_of_its_file():
    own = "tests.contract.server.test_echo"
    assert clause_of(own, "test_compression_is_declined[go]") == "2.3"
    assert clause_of(own, "test_something_else") == "4.2"
