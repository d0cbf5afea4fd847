"""Cells that both sides of a comparison have, and cells of one side only."""

from dataclasses import replace

import pytest
from tests.unit.report.compare.archive import FEW, RUN

from autostrada.errors import UsageError
from autostrada.report.compare.comparison import compare
from autostrada.report.compare.differences import differences
from autostrada.report.compare.side import parse_address, read_side


def names(cells):
    return [next(iter(cell.metrics.values())).cell for cell in cells]


def test_two_contestants_of_a_run_are_compared_by_workload(changed_store):
    comparison = changed_store.compare("ada-fast", "ada-fast+turbo", 1)
    assert comparison.is_of_contestants
    [cell] = comparison.cells
    assert names([cell]) == ["batched"]
    assert cell.change.ratio.value == pytest.approx(0.75)
    assert comparison.unmatched == ("ada-fast in alone: only in A; B: not measured",)


def test_the_reference_can_be_one_of_two_contestants(changed_store):
    comparison = changed_store.compare("reference", "ada-fast", 1)
    assert names(comparison.cells) == ["batched", "alone"]
    assert not comparison.reference


def test_two_files_are_compared(begun, changed_store):
    comparison = changed_store.compare(1, begun.path)
    assert comparison.after.results.run_id == 1
    assert names(comparison.cells) == ["ada-fast in batched"]


@pytest.mark.parametrize("other", ["1", "{path}#1"])
def test_a_run_is_not_compared_with_itself(changed_store, other):
    with pytest.raises(UsageError, match="are the same: name two"):
        changed_store.compare(1, other.format(path=changed_store.path))


def test_different_experiments_are_refused(begun):
    begun.add(FEW, run=replace(RUN, experiment="large"))
    with pytest.raises(UsageError, match="1 is a run of small, but 2 is one of large"):
        begun.compare()


def test_a_workload_of_one_side_only_comes_last(archive):
    more = RUN.definition.replace('"alone"', '"crowded"')
    archive.add({("alone", "ada-fast"): 200})
    archive.add({("crowded", "ada-fast"): 200}, run=replace(RUN, definition=more))
    sides = [read_side(parse_address(text, archive.path)) for text in ("1", "2")]
    unmatched = compare(*sides).unmatched
    assert unmatched == (
        "ada-fast in alone: only in A; B: not measured",
        "ada-fast in crowded: only in B; A: not measured",
    )


def test_two_similar_runs_have_no_warnings(begun):
    begun.add(FEW)
    assert differences(begun.compare()) == ()


def test_two_contestants_of_a_run_differ_by_nature(changed_store):
    comparison = changed_store.compare("ada-fast", "bash-slow", 1)
    assert differences(comparison) == ()
