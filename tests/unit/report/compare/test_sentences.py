"""Sentences about comparisons are complete and correct."""

import pytest

from autostrada.report.compare import sentences
from autostrada.report.compare.gate import check_condition, parse_known
from autostrada.stats.ratio import Ratio


def ratio(value, low, high, confidence=0.9375):
    return Ratio(value=value, low=low, high=high, confidence=confidence)


def test_the_conclusion_counts_the_cells_and_names_the_largest_change(changed):
    assert sentences.conclusion(changed) == (
        "Compared with A, B is faster in 1 of 3 cells (bash-slow in batched, 0.900× "
        "the time for the first million messages), slower in 1 of 3 cells (ada-fast in "
        "batched, 1.200× the time for the first million messages) and "
        "indistinguishable in 1 of 3 cells; client CPU per message is more in 1 and "
        "less in 1."
    )


def test_what_all_cells_share_is_distinguished_from_single_changes(archive, steady):
    cells = steady | {("alone", "ada-fast+turbo"): 1500, ("alone", "bash-slow"): 9000}
    archive.add(cells)
    slower = {key: 1.2 * ns for key, ns in cells.items()}
    archive.add(slower | {("batched", "bash-slow"): 4000})
    conclusion = sentences.conclusion(archive.compare())
    assert "slower in 5 of 6 cells" in conclusion
    assert conclusion.endswith(
        "The median of the cells' ratios is 1.200×; a change of all cells is more "
        "likely due to the machine than to them. Relative to the median, 1 of 6 cells "
        "differ."
    )


@pytest.mark.parametrize(
    ("repetitions", "ending"),
    [
        (1, "One repetition gives no interval."),
        (3, "So few repetitions give 75% confidence."),
        (5, "So few repetitions give 93.7% confidence."),
    ],
)
def test_the_confidence_of_an_interval_is_stated(
    begun, measurement, repetitions, ending
):
    begun.add({("batched", "ada-fast"): [measurement(200)] * repetitions})
    assert sentences.note(begun.compare()).endswith(ending)


def test_two_contestants_are_called_by_their_names(changed_store):
    comparison = changed_store.compare("ada-fast", "ada-fast+turbo", 1)
    assert sentences.conclusion(comparison) == (
        "Compared with ada-fast, ada-fast+turbo is faster (batched, 0.750× the time "
        "for the first million messages); client CPU per message is less."
    )


def test_the_largest_of_several_changes_is_named(changed_store):
    comparison = changed_store.compare("ada-fast", "reference", 1)
    assert sentences.conclusion(comparison).startswith(
        "Compared with ada-fast, reference is faster in 2 of 2 cells (most: batched, "
        "0.100× the time for the first million messages)"
    )


def test_a_cell_without_a_significant_change_is_named(begun):
    begun.add({("batched", "ada-fast"): 200})
    assert sentences.conclusion(begun.compare()) == (
        "Compared with A, B is indistinguishable in ada-fast in batched."
    )


def test_without_common_cells_there_is_a_sentence(begun, crash):
    begun.add({("batched", "ada-fast"): [crash]})
    comparison = begun.compare()
    assert sentences.conclusion(comparison) == (
        "Nothing can be compared: A and B have no cell in common."
    )


def test_a_cell_of_one_side_is_named_with_the_reason(changed):
    assert [sentences.unmatched(each) for each in changed.unmatched] == [
        "ada-fast+turbo in batched: only in A; B: failed: crashed"
    ]


def test_a_side_is_named_by_run_file_and_time(changed, changed_store):
    assert sentences.origin(changed.after) == (
        f"run 2 of small in {changed_store.path}, 2026-11-20 21:00 UTC, "
        f"Autostrada 0.1.0"
    )
    one = changed_store.compare("ada-fast", "bash-slow", 1)
    assert sentences.origin(one.before).startswith("ada-fast in run 1 of small in ")


def test_a_condition_names_failed_and_passed_cells(changed):
    relative = check_condition(parse_known("ms_per_million > +5%"), changed)
    assert list(sentences.verdicts(relative)) == [
        "failed: ms_per_million > +5%: ada-fast in batched: +20.0% (+16.5% to +23.6%)",
        "passed: ms_per_million > +5%: in 2 cells",
    ]
    fixed = check_condition(parse_known("client_memory_bytes_max < 11000000"), changed)
    assert next(sentences.verdicts(fixed)) == (
        "failed: client_memory_bytes_max < 11000000: ada-fast in batched: "
        "10\u202fMiB (10\u202fMiB to 10\u202fMiB)"
    )


def test_a_condition_names_cells_that_cannot_be_evaluated(begun, few, measurement):
    silent = [measurement(200, processes=())] * 5
    begun.add(few | {("batched", "ada-fast"): silent})
    check = check_condition(
        parse_known("client_memory_bytes_max > +5%"), begun.compare()
    )
    assert list(sentences.verdicts(check)) == [
        "passed: client_memory_bytes_max > +5%: in 1 cell",
        "not judged: client_memory_bytes_max > +5%: ada-fast in batched: "
        "client_memory_bytes_max is not known",
    ]


@pytest.mark.parametrize(
    ("found", "value", "bounds"),
    [
        (ratio(1.0034, 1.0021, 1.0049), "1.003×", "1.002–1.005"),
        (ratio(24.31, 24, 24.6), "24.3×", "24.0–24.6"),
        (ratio(1.2, 1.2, 1.2, confidence=0), "1.200×", ""),
    ],
)
def test_a_ratio_has_three_decimals(found, value, bounds):
    assert sentences.ratio_value(found) == value
    assert sentences.ratio_bounds(found) == bounds


def test_a_p_is_never_shown_as_zero():
    assert sentences.probability(0.0004) == "<0.001"
    assert sentences.probability(2 / 252) == "0.008"
