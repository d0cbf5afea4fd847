"""A comparison on a terminal, in 80 columns, in Markdown, and as a command."""

import pytest
from tests.unit.report.compare.archive import CRASH, without_folders

from autostrada.errors import UsageError
from autostrada.report.compare.command import compare_command
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


def status_of(store, *conditions, before="1", after="2", **changes):
    values = {"run_id": None, "markdown": False} | changes
    return compare_command(
        before, after, store=store.path, fail_if=conditions, **values
    )


def test_an_invalid_condition_is_refused_before_any_store_is_opened(
    changed_store, tmp_path
):
    nowhere = str(tmp_path / "no.duckdb")
    with pytest.raises(UsageError, match="no metric is called 'p99'"):
        status_of(changed_store, "p99 > +5%", before=nowhere)


def test_two_contestants_are_compared_in_the_newest_run_by_default(
    changed_store, capsys
):
    names = {"before": "ada-fast", "after": "bash-slow"}
    assert status_of(changed_store, **names) == 0
    assert "A  ada-fast in run 2 of small" in capsys.readouterr().out
    assert status_of(changed_store, **names, run_id=1) == 0
    assert "A  ada-fast in run 1 of small" in capsys.readouterr().out
