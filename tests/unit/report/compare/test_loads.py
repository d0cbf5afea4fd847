"""The comparison of the loads of two names, and conditions on how they changed."""

import pytest
from tests.unit.report.loads import AFTER, BEFORE, load, loads

from autostrada.errors import UsageError
from autostrada.report.compare.gate import parse_gate
from autostrada.report.compare.loads import CONDITIONS, report_loads
from autostrada.report.compare.terminal import print_changes


def compare(found, *conditions):
    parsed = [parse_gate(condition, CONDITIONS) for condition in conditions]
    return report_loads("before", "after", found, parsed)


def test_two_names_are_compared_by_each_metric_of_all_loads(printed, snapshot):
    report = compare([*BEFORE, *AFTER], "rate > +60%", "rate > +5%")
    snapshot("loads.txt", printed(print_changes, report))
    assert report.has_failed


def test_only_metrics_of_all_loads_are_compared():
    report = compare([*BEFORE, *AFTER, load("after", 153)])
    assert [row.metric.name for row in report.rows] == ["rate"]
    assert not report.has_failed


@pytest.mark.parametrize("condition", ["rate > +60%", "rate < -5%", "p99 > +1%"])
def test_a_condition_passes_if_the_change_is_not_clear(condition):
    assert not compare([*BEFORE, *AFTER], condition).has_failed


@pytest.mark.parametrize(
    ("condition", "found", "remedy"),
    [
        ("p50 > +5%", AFTER, "p50 is not known; choose one of rate, p99"),
        ("rate > +5%", AFTER[:1], "a change requires three repetitions on each side"),
        ("rate > +5%", [], "no load is called 'after': choose one of before"),
        (
            "rate > +5%",
            [load("after", 1, asked="5 connections")],
            r"different loads \(10 connections; 5 connections\): give each",
        ),
    ],
)
def test_loads_that_cannot_be_compared_are_refused(condition, found, remedy):
    with pytest.raises(UsageError, match=remedy):
        compare([*BEFORE, *found], condition)


def test_too_few_loads_are_said():
    report = compare([*BEFORE, *loads("after", [1])])
    assert [*report.reasons] == [
        "rate: a change requires three repetitions on each side"
    ]
    assert report.note.endswith(" One load gives no interval.")


def test_a_name_is_not_compared_with_itself():
    with pytest.raises(UsageError, match="are the same: name two"):
        report_loads("before", "before", BEFORE)
