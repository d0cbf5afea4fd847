"""A comparison on a terminal, in 80 columns, and in Markdown."""

import pytest
from tests.unit.report.compare.archive import CRASH, without_folders

from autostrada.report.compare.gate import check_condition, parse_known
from autostrada.report.compare.markdown import markdown
from autostrada.report.compare.terminal import print_comparison


@pytest.fixture(scope="module")
def comparison(differing):
    return without_folders(differing)


@pytest.fixture(scope="module")
def checks(comparison):
    conditions = (
        "ms_per_million > +5%",
        "client_memory_bytes_max > +5%",
        "client_memory_bytes_max < 11000000",
    )
    return [check_condition(parse_known(each), comparison) for each in conditions]


def test_a_terminal_shows_all_of_a_comparison(comparison, checks, printed, snapshot):
    snapshot("differing.txt", printed(print_comparison, comparison, checks))


def test_markdown_shows_all_of_a_comparison_and_is_escaped(
    comparison, checks, snapshot
):
    snapshot("differing-markdown.txt", markdown(comparison, checks))


def test_without_common_cells_there_is_no_table(begun):
    begun.add({("batched", "ada-fast"): [CRASH]})
    text = markdown(begun.compare(), [])
    assert text.startswith(
        "**Nothing can be compared: A and B have no cell in common.**"
    )
    assert "|" not in text
    assert "bash-slow in alone: only in A; B: not measured" in text
