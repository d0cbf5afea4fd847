"""The sentences and texts of a change report are complete and correct."""

import json

import pytest
from tests.unit.report.compare.archive import STEADY
from tests.unit.report.records import push

from autostrada.report.compare.compared_metric import ComparedMetric
from autostrada.report.compare.runs import report_runs
from autostrada.report.samples import Sampled
from autostrada.stats.metrics import METRICS


def row(before, after):
    return ComparedMetric(
        metric=METRICS["latency_ms_p99"],
        before=Sampled(values=before),
        after=Sampled(values=after),
        repetitions=(len(before), len(after)),
    )


def test_what_all_cells_share_is_distinguished_from_single_changes(archive):
    cells = STEADY | {("alone", "ada-fast+turbo"): 1500, ("alone", "bash-slow"): 9000}
    archive.add(cells)
    slower = {key: 1.2 * ns for key, ns in cells.items()}
    archive.add(slower | {("batched", "bash-slow"): 4000})
    conclusion = report_runs(archive.compare()).conclusion
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
    assert report_runs(begun.compare()).note.endswith(ending)


def test_two_contestants_are_called_by_their_names(changed_store):
    comparison = changed_store.compare("ada-fast", "ada-fast+turbo", 1)
    assert report_runs(comparison).conclusion == (
        "Compared with ada-fast, ada-fast+turbo is faster (batched, 0.750× the time "
        "for the first million messages); client CPU per message is less."
    )


def test_a_cell_without_a_significant_change_is_named(begun):
    begun.add({("batched", "ada-fast"): 200})
    assert report_runs(begun.compare()).conclusion == (
        "Compared with A, B is indistinguishable in ada-fast in batched."
    )


@pytest.mark.parametrize(
    ("before", "after", "value", "bounds"),
    [
        ([1.0, 1.0, 1.0], [1.0034, 1.0034, 1.0034], "1.003×", "1.003–1.003"),
        ([1.0, 1.0, 1.0], [24.3, 24.3, 24.31], "24.3×", "24.3–24.3"),
        ([0.0, 0.0, 0.0], [2.5, 2.5, 2.5], "∞×", "∞–∞"),
        ([1.0], [1.2], "1.200×", ""),
    ],
)
def test_a_ratio_has_three_decimals(before, after, value, bounds):
    texts = row(before, after).texts
    assert (texts["B/A"], texts.get("interval", "")) == (value, bounds)


def test_json_has_no_infinity():
    document = json.dumps(row([0.0] * 3, [2.5] * 3).document(), allow_nan=False)
    assert json.loads(document)["ratio"]["high"] is None


def test_a_p_is_never_shown_as_zero():
    assert row(range(1, 9), range(11, 19)).texts["p"] == "<0.001"
    assert row(range(1, 6), range(11, 16)).texts["p"] == "0.008"
