"""Cells that both sides of a comparison have, and cells of one side only."""

from dataclasses import replace

import pytest

from autostrada.errors import UsageError
from autostrada.report.compare.comparison import compare
from autostrada.report.compare.side import parse_address, read_side
from autostrada.stats.change import Direction


def names(cells):
    return [(cell.workload, cell.contestant) for cell in cells]


def test_every_common_cell_is_compared_in_the_order_of_the_workloads(changed):
    assert names(changed.cells) == [
        ("batched", "ada-fast"),
        ("batched", "bash-slow"),
        ("alone", "ada-fast"),
    ]


def test_the_reference_is_separate_and_first(changed):
    assert names(changed.reference) == [
        ("batched", "reference"),
        ("alone", "reference"),
    ]
    assert {name: names(cells)[0] for name, cells in changed.by_workload.items()} == {
        "batched": ("batched", "reference"),
        "alone": ("alone", "reference"),
    }


def test_a_change_has_ratio_interval_p_and_direction(changed):
    found = changed.cells[0].changes["ms_per_million"]
    assert found.ratio.value == pytest.approx(1.2)
    assert 1.15 < found.ratio.low < 1.2 < found.ratio.high < 1.25
    assert found.p == pytest.approx(2 / 252)
    assert found.direction is Direction.HIGHER
    assert (
        changed.cells[1].changes["client_cpu_us_per_message"].direction
        is Direction.LOWER
    )
    assert (
        changed.cells[2].changes["client_memory_bytes_max"].direction
        is Direction.UNCLEAR
    )


def test_a_cell_of_one_side_only_is_named_with_the_reason(changed):
    [unmatched] = changed.unmatched
    assert (unmatched.cell.contestant, unmatched.cell.workload) == (
        "ada-fast+turbo",
        "batched",
    )
    assert (unmatched.side, unmatched.reason) == ("A", "failed: crashed")


def test_an_additional_cell_is_named(archive):
    archive.add({("batched", "ada-fast"): 200})
    archive.add({("alone", "ada-fast"): 200, ("batched", "ada-fast"): 200})
    [unmatched] = archive.compare().unmatched
    assert (unmatched.cell.workload, unmatched.side, unmatched.reason) == (
        "alone",
        "B",
        "not measured",
    )


def test_two_contestants_of_a_run_are_compared_by_workload(changed_store):
    comparison = changed_store.compare("ada-fast", "ada-fast+turbo", 1)
    assert comparison.is_of_contestants
    [cell] = comparison.cells
    assert (cell.workload, cell.contestant) == ("batched", "ada-fast → ada-fast+turbo")
    assert cell.changes["ms_per_million"].ratio.value == pytest.approx(0.75)
    [unmatched] = comparison.unmatched
    assert (unmatched.cell.contestant, unmatched.cell.workload) == ("ada-fast", "alone")


def test_the_reference_can_be_one_of_two_contestants(changed_store):
    comparison = changed_store.compare("reference", "ada-fast", 1)
    assert [cell.workload for cell in comparison.cells] == ["batched", "alone"]
    assert not comparison.reference


def test_a_failed_contestant_is_named_as_such(changed_store):
    [unmatched] = [
        unmatched
        for unmatched in changed_store.compare(
            "ada-fast", "ada-fast+turbo", 2
        ).unmatched
        if unmatched.cell.workload == "batched"
    ]
    assert unmatched.reason == "failed: crashed"


def test_two_files_are_compared(begun, changed_store):
    comparison = changed_store.compare(1, begun.path)
    assert comparison.after.results.run_id == 1
    assert names(comparison.cells) == [("batched", "ada-fast")]


@pytest.mark.parametrize("other", ["1", "{path}#1"])
def test_a_run_is_not_compared_with_itself(changed_store, other):
    with pytest.raises(UsageError, match="are the same: name two"):
        changed_store.compare(1, other.format(path=changed_store.path))


def test_different_experiments_are_refused(begun, few, run):
    begun.add(few, run=replace(run, experiment="large"))
    with pytest.raises(UsageError, match="1 is a run of small, but 2 is one of large"):
        begun.compare()


def test_a_workload_of_one_side_only_comes_last(archive, run):
    more = run.definition.replace('"alone"', '"crowded"')
    archive.add({("alone", "ada-fast"): 200})
    archive.add({("crowded", "ada-fast"): 200}, run=replace(run, definition=more))
    sides = [read_side(parse_address(text, archive.path)) for text in ("1", "2")]
    unmatched = compare(*sides).unmatched
    assert [(each.cell.workload, each.side) for each in unmatched] == [
        ("alone", "A"),
        ("crowded", "B"),
    ]
