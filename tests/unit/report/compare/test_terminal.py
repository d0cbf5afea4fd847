"""A comparison on a terminal, in 80 columns, and in Markdown."""

import pytest
from tests.unit.report.compare.archive import CRASH, without_folders

from autostrada.report.compare.gate import check_condition, parse_known
from autostrada.report.compare.markdown import markdown
from autostrada.report.compare.terminal import print_comparison


def checks(comparison, *conditions):
    return [check_condition(parse_known(each), comparison) for each in conditions]


@pytest.mark.parametrize(
    ("name", "conditions"),
    [
        ("changed", ["ms_per_million > +5%", "client_memory_bytes_max < 11000000"]),
        ("differing", ["client_memory_bytes_max > +5%"]),
    ],
)
def test_a_terminal_shows_all_of_a_comparison(
    request, printed, snapshot, name, conditions
):
    comparison = without_folders(request.getfixturevalue(name))
    found = checks(comparison, *conditions)
    snapshot(f"{name}.txt", printed(print_comparison, comparison, found))


def test_markdown_shows_all_of_a_comparison_and_is_escaped(differing, snapshot):
    comparison = without_folders(differing)
    found = checks(comparison, "client_memory_bytes_max > +5%")
    snapshot("differing-markdown.txt", markdown(comparison, found))


def test_without_common_cells_there_is_no_table(begun):
    begun.add({("batched", "ada-fast"): [CRASH]})
    text = markdown(begun.compare(), [])
    assert text.startswith(
        "**Nothing can be compared: A and B have no cell in common.**"
    )
    assert "|" not in text
    assert "bash-slow in alone: only in A; B: not measured" in text
