"""Sentences about comparisons are complete and correct."""

import pytest
from tests.unit.report.compare.archive import STEADY
from tests.unit.report.records import push

from autostrada.report.compare import sentences
from autostrada.stats.ratio import Ratio


def ratio(value, low, high, confidence=0.9375):
    return Ratio(value=value, low=low, high=high, confidence=confidence)


def test_what_all_cells_share_is_distinguished_from_single_changes(archive):
    cells = STEADY | {("alone", "ada-fast+turbo"): 1500, ("alone", "bash-slow"): 9000}
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
def test_the_confidence_of_an_interval_is_stated(begun, repetitions, ending):
    begun.add({("batched", "ada-fast"): [push(200)] * repetitions})
    assert sentences.note(begun.compare()).endswith(ending)


def test_two_contestants_are_called_by_their_names(changed_store):
    comparison = changed_store.compare("ada-fast", "ada-fast+turbo", 1)
    assert sentences.conclusion(comparison) == (
        "Compared with ada-fast, ada-fast+turbo is faster (batched, 0.750× the time "
        "for the first million messages); client CPU per message is less."
    )


def test_a_cell_without_a_significant_change_is_named(begun):
    begun.add({("batched", "ada-fast"): 200})
    assert sentences.conclusion(begun.compare()) == (
        "Compared with A, B is indistinguishable in ada-fast in batched."
    )


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
