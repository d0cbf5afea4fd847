"""The sentences and texts of a change report are complete and correct."""

import json
from dataclasses import replace
from math import inf

import pytest
from tests.unit.report.compare.archive import STEADY
from tests.unit.report.records import push

from autostrada.report.compare.change_report import (
    ChangeReport,
    ChangeRow,
    ChangeVerdict,
    GateResult,
)
from autostrada.report.compare.markdown import markdown
from autostrada.report.compare.runs import report_runs
from autostrada.report.compare.sentences import conclude
from autostrada.report.compare.terminal import print_changes
from autostrada.stats.ratio import Ratio

SAME = ChangeRow(
    group="echo",
    name="",
    metric="cpu",
    title="CPU a message",
    column="CPU",
    before="1 µs",
    after="1 µs",
    values=(1, 1),
    unit="us",
    repetitions=(20, 20),
    ratio=Ratio(value=1.0034, low=1.0021, high=1.0049, confidence=0.95),
    verdict=ChangeVerdict.SAME,
    margin=0.03,
    detectable=0.025,
)
UNCLEAR = replace(
    SAME,
    group="publish",
    ratio=replace(SAME.ratio, high=inf),
    verdict=ChangeVerdict.INDISTINGUISHABLE,
    detectable=0.04,
    reason="about 6 more minutes are needed",
)
REPORT = ChangeReport(
    names=("main", "HEAD"),
    origins=("main", "HEAD"),
    warnings=("cpu_model: <b>Abacus</b> | *10* `x`",),
    rows=(SAME, UNCLEAR),
    unmatched=(),
    conclusion=conclude(("main", "HEAD"), [SAME, UNCLEAR], "workload"),
    gates=(
        GateResult(
            condition="cpu > +3%", failed=(), passed=("echo: +0.3%",), unchecked=()
        ),
    ),
    note="A round has both sides.",
    repetition="round",
)


def row(value, low, high, confidence=0.9375):
    ratio = Ratio(value=value, low=low, high=high, confidence=confidence)
    return replace(SAME, ratio=ratio)


def test_rows_say_what_is_the_same_and_what_rounds_detect(printed, snapshot):
    snapshot("rounds.txt", printed(print_changes, REPORT))


def test_markdown_has_all_of_a_report_and_is_escaped(snapshot):
    snapshot("rounds-markdown.txt", markdown(REPORT))


def test_json_has_all_of_a_report_and_no_infinity():
    document = json.loads(json.dumps(REPORT.document(), allow_nan=False))
    assert document["rows"][1]["ratio"]["high"] is None
    assert document["rows"][0]["verdict"] == "same"
    assert document["gates"][0]["passed"] == ["echo: +0.3%"]


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
    ("found", "value", "bounds"),
    [
        (row(1.0034, 1.0021, 1.0049), "1.003×", "1.002–1.005"),
        (row(24.31, 24, 24.6), "24.3×", "24.0–24.6"),
        (row(inf, 2.5, inf), "∞×", "2.500–∞"),
        (row(1.2, 1.2, 1.2, confidence=0), "1.200×", ""),
    ],
)
def test_a_ratio_has_three_decimals(found, value, bounds):
    assert (found.ratio_text, found.bounds_text) == (value, bounds)


def test_a_p_is_never_shown_as_zero():
    assert replace(SAME, p=0.0004).p_text == "<0.001"
    assert replace(SAME, p=2 / 252).p_text == "0.008"
