"""Cases of the contract suite and the clauses that they check exist."""

import re

import pytest

from autostrada.contestants.catalog import find_catalog
from autostrada.contestants.clauses import CLAUSES, SECTIONS, clause_of

ROOT = find_catalog().root
CONTRACT = (ROOT / "docs" / "contract.md").read_text(encoding="utf-8")
CASES = {
    case
    for path in ROOT.glob("tests/contract/**/test_*.py")
    for case in re.findall(r"^(?:async )?def test_(\w+)", path.read_text(), re.M)
}


@pytest.mark.parametrize("clause", sorted({*CLAUSES.values(), *SECTIONS.values()}))
def test_a_clause_is_in_the_contract(clause):
    title = rf"^{re.escape(clause)}\. " if "." in clause else rf"^## {clause}\. "
    assert re.search(title, CONTRACT, re.M)


@pytest.mark.parametrize("case", CLAUSES)
def test_a_case_with_a_clause_is_in_the_suite(case):
    assert case in CASES


@pytest.mark.parametrize("module", SECTIONS)
def test_a_file_with_a_section_is_in_the_suite(module):
    assert (ROOT / "tests/contract" / f"{module.replace('.', '/')}.py").is_file()


def test_a_case_has_its_own_clause_or_that_of_its_file():
    own = "tests.contract.server.test_echo"
    assert clause_of(own, "test_compression_is_declined[go]") == "8.4"
    assert clause_of(own, "test_something_else") == "8.3"
