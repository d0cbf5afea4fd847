"""Conditions: what they may say, and when they are met."""

import pytest

from autostrada.errors import UsageError
from autostrada.report.compare.gate import judge, parse_condition
from autostrada.stats.change import Direction

NOISE = (-0.2, -0.1, 0, 0.1, 0.2)


def placed(cells):
    return [(cell.workload, cell.contestant) for cell in cells]


def judged(comparison, text):
    found = judge(parse_condition(text), comparison)
    return placed(found.failed), placed(found.held), placed(found.unjudged)


@pytest.mark.parametrize(
    ("text", "figure", "relation", "limit", "is_of_change"),
    [
        ("ms_per_million > +5%", "ms_per_million", Direction.HIGHER, 1.05, True),
        ("rate<-2.5 %", "rate", Direction.LOWER, 0.975, True),
        (" memory  >  100 ", "memory", Direction.HIGHER, 100, False),
        ("cpu_per_message > 0.5", "cpu_per_message", Direction.HIGHER, 0.5, False),
    ],
)
def test_a_condition_is_a_figure_a_relation_and_a_limit(
    text, figure, relation, limit, is_of_change
):
    condition = parse_condition(text)
    assert condition.figure.name == figure
    assert condition.relation is relation
    assert condition.limit == pytest.approx(limit)
    assert condition.is_of_change is is_of_change


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "is no condition; write one as 'ms_per_million > [+]5%'"),
        ("rate", "is no condition; write one as"),
        ("rate = +5%", "is no condition; write one as"),
        ("rate > +5% or more", "is no condition; write one as"),
        ("rate > nan", "is no condition; write one as"),
        ("rate < 5%", "is no condition; a change needs a sign: [+]5% or -5%"),
        ("rate < -100%", "none falls by 100%; write a limit that can be crossed"),
        ("memory > 0", "every figure is above 0"),
        ("p99 > +5%", "have no p99, only ms_per_million, rate, cpu_per_message, mem"),
        ("p99.9 > 5", "have no p99.9, only ms_per_million"),
    ],
)
def test_a_bad_condition_is_one_line_with_the_remedy(text, line):
    with pytest.raises(UsageError, match=line) as refused:
        parse_condition(text)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("ms_per_million > +5%", [("batched", "ada-fast")]),
        ("ms_per_million > +15%", [("batched", "ada-fast")]),
        ("ms_per_million > +20%", []),
        ("ms_per_million < -5%", [("batched", "bash-slow")]),
        ("rate < -5%", [("batched", "ada-fast")]),
        ("rate > +5%", [("batched", "bash-slow")]),
        ("cpu_per_message > +5%", [("batched", "ada-fast")]),
        ("memory > +0%", []),
        (
            "memory < 11",
            [("batched", "ada-fast"), ("batched", "bash-slow"), ("alone", "ada-fast")],
        ),
    ],
)
def test_a_condition_fails_the_cells_that_surely_lie_beyond_it(changed, text, failed):
    found, held, unjudged = judged(changed, text)
    assert found == failed
    assert len(found) + len(held) == 3
    assert unjudged == []


def test_noise_does_not_fail_a_condition(archive, few):
    archive.add(few, spread=NOISE)
    archive.add({place: 1.1 * ns for place, ns in few.items()}, spread=NOISE)
    failed, held, _ = judged(archive.compare(), "ms_per_million > +5%")
    assert failed == []
    assert len(held) == 2


def test_a_change_that_is_large_enough_is_seen_through_noise(archive, few):
    archive.add(few, spread=NOISE)
    archive.add({place: 2 * ns for place, ns in few.items()}, spread=NOISE)
    failed, held, _ = judged(archive.compare(), "ms_per_million > +5%")
    assert len(failed) == 2
    assert held == []


def test_the_reference_fails_no_condition(begun, few):
    begun.add(few | {("batched", "reference"): 100})
    assert judged(begun.compare(), "ms_per_million > +5%")[0] == []


def test_a_fixed_limit_is_of_the_second_side(changed):
    failed, held, _ = judged(changed, "ms_per_million > 1000")
    assert failed == [("batched", "bash-slow"), ("alone", "ada-fast")]
    assert held == [("batched", "ada-fast")]


def test_the_evidence_is_a_ratio_or_the_figure_itself(changed):
    ratio, low, high = parse_condition("rate < -5%").evidence(changed.cells[0])
    assert ratio == pytest.approx(1 / 1.2)
    assert low < ratio < high < 0.95
    median, low, high = parse_condition("memory > 1").evidence(changed.cells[0])
    assert (median, low, high) == (10, 10, 10)


def test_a_cell_without_the_figure_is_not_judged(begun, few, measurement):
    silent = [measurement(200, processes=())] * 5
    begun.add(few | {("batched", "ada-fast"): silent})
    comparison = begun.compare()
    failed, held, unjudged = judged(comparison, "memory > +5%")
    assert (failed, unjudged) == ([], [("batched", "ada-fast")])
    assert len(held) == 1
    condition = parse_condition("memory > +5%")
    assert condition.obstacle(comparison.cells[0]) == "memory is not known"
    assert not condition.is_met(comparison.cells[0])


def test_a_fixed_limit_does_not_need_the_first_side(archive, few, measurement):
    silent = [measurement(200, processes=())] * 5
    archive.add({("batched", "ada-fast"): silent})
    archive.add(few)
    failed, _, _ = judged(archive.compare(), "memory > 9")
    assert failed == [("batched", "ada-fast")]


@pytest.mark.parametrize(
    ("text", "repetitions", "remedy"),
    [
        ("rate < -5%", 2, "it takes three repetitions on each side"),
        ("rate < 100", 4, "a fixed limit takes five repetitions"),
    ],
)
def test_a_condition_that_can_never_be_met_is_refused(
    archive, few, text, repetitions, remedy
):
    archive.add(few, spread=range(repetitions))
    archive.add(few, spread=range(repetitions))
    with pytest.raises(UsageError, match=f"cannot be judged in any cell: {remedy}"):
        judged(archive.compare(), text)


def test_a_condition_does_not_hold_where_everything_failed(archive, crash):
    archive.add({("batched", "ada-fast"): 200})
    archive.add({("batched", "ada-fast"): [crash] * 5})
    with pytest.raises(
        UsageError, match=r"none in common \(failed: crashed\); run both"
    ):
        judged(archive.compare(), "rate < -5%")
