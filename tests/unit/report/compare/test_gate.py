"""Conditions: when the cells of a comparison meet them."""

import pytest
from tests.unit.report.compare.archive import CRASH, FEW, SILENT
from tests.unit.report.records import push, values

from autostrada.errors import UsageError
from autostrada.report.compare.gate import (
    check_condition,
    evidence,
    parse_known,
)
from autostrada.store.record import Bucket

NOISE = (-0.2, -0.1, 0, 0.1, 0.2)


def placed(cells):
    return [(cell.workload, cell.contestant) for cell in cells]


def judged(comparison, text):
    found = check_condition(parse_known(text), comparison)
    return placed(found.failed), placed(found.passed), placed(found.unchecked)


@pytest.mark.parametrize("text", ["latency_p99 > +5%", "latency_p99.9 > 5"])
def test_an_unknown_metric_has_similar_ones(text):
    with pytest.raises(UsageError, match=r"no metric is called .*; did you mean laten"):
        parse_known(text)


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("ms_per_million > +5%", [("batched", "ada-fast")]),
        ("ms_per_million > +15%", [("batched", "ada-fast")]),
        ("ms_per_million > +20%", []),
        ("ms_per_million < -5%", [("batched", "bash-slow")]),
        ("messages_per_s < -5%", [("batched", "ada-fast")]),
        ("messages_per_s > +5%", [("batched", "bash-slow")]),
        ("client_cpu_us_per_message > +5%", [("batched", "ada-fast")]),
        ("client_memory_bytes_max > +0%", []),
        (
            "client_memory_bytes_max < 11000000",
            [("batched", "ada-fast"), ("batched", "bash-slow"), ("alone", "ada-fast")],
        ),
    ],
)
def test_a_condition_fails_cells_that_are_significantly_beyond_it(
    changed, text, failed
):
    found, passed, unchecked = judged(changed, text)
    assert found == failed
    assert len(found) + len(passed) == 3
    assert unchecked == []


@pytest.mark.parametrize(("factor", "failing"), [(1.1, 0), (2, 2)])
def test_only_a_change_beyond_the_noise_fails_a_condition(archive, factor, failing):
    archive.add(FEW, spread=NOISE)
    archive.add({key: factor * ns for key, ns in FEW.items()}, spread=NOISE)
    failed, passed, _ = judged(archive.compare(), "ms_per_million > +5%")
    assert (len(failed), len(passed)) == (failing, 2 - failing)


def test_the_reference_fails_no_condition(begun):
    begun.add(FEW | {("batched", "reference"): 100})
    assert judged(begun.compare(), "ms_per_million > +5%")[0] == []


def test_a_fixed_limit_applies_to_the_second_side(changed):
    failed, passed, _ = judged(changed, "ms_per_million > 1000")
    assert failed == [("batched", "bash-slow"), ("alone", "ada-fast")]
    assert passed == [("batched", "ada-fast")]


def test_the_evidence_is_a_ratio_or_the_metric_itself(changed):
    cell = changed.cells[0]
    ratio, low, high = evidence(parse_known("messages_per_s < -5%"), cell)
    assert ratio == pytest.approx(1 / 1.2)
    assert low < ratio < high < 0.95
    median, low, high = evidence(parse_known("client_memory_bytes_max > 1"), cell)
    assert (median, low, high) == (10 * 2**20,) * 3


def test_a_fixed_limit_does_not_need_the_first_side(archive):
    archive.add({("batched", "ada-fast"): SILENT})
    archive.add(FEW)
    failed, _, _ = judged(archive.compare(), "client_memory_bytes_max > 9")
    assert failed == [("batched", "ada-fast")]


@pytest.mark.parametrize(
    ("text", "repetitions", "remedy"),
    [
        ("messages_per_s < -5%", 2, "a change requires three repetitions on each side"),
        ("messages_per_s < 100", 4, "a fixed limit requires five repetitions"),
    ],
)
def test_a_condition_that_cannot_be_evaluated_is_refused(
    archive, text, repetitions, remedy
):
    archive.add(FEW, spread=range(repetitions))
    archive.add(FEW, spread=range(repetitions))
    with pytest.raises(UsageError, match=f"cannot be judged in any cell: {remedy}"):
        judged(archive.compare(), text)


def test_a_condition_without_common_cells_is_refused(archive):
    archive.add({("batched", "ada-fast"): 200})
    archive.add({("batched", "ada-fast"): [CRASH] * 5})
    with pytest.raises(
        UsageError, match=r"none in common \(failed: crashed\); run both"
    ):
        judged(archive.compare(), "messages_per_s < -5%")


def test_a_quantile_is_compared_with_a_condition(archive):
    def with_tail(slow_ns, *, dropped=0):
        metrics = values("client", dropped_messages=dropped)
        buckets = tuple(
            Bucket(process="client", metric="latency_ns", value_ns=ns, count=count)
            for ns, count in ((1_000_000, 90), (slow_ns, 10))
        )
        return push(200, buckets=buckets, metrics=metrics)

    archive.add({("batched", "ada-fast"): [with_tail(5_000_000)] * 5})
    slower = [with_tail(9_000_000 + each, dropped=3) for each in range(5)]
    archive.add({("batched", "ada-fast"): slower})
    comparison = archive.compare()
    cell = [("batched", "ada-fast")]
    assert judged(comparison, "latency_ms_p99 > +50%")[0] == cell
    assert judged(comparison, "latency_ms_p50 > +5%")[0] == []
    assert judged(comparison, "latency_ms_p99 > 8")[0] == cell
    assert judged(comparison, "dropped_messages > 0")[0] == cell
    assert judged(comparison, "dropped_messages > +5%")[0] == cell
    value, low, high = evidence(
        parse_known("latency_ms_p99 > +5%"), comparison.cells[0]
    )
    assert low <= value <= high
    assert value == pytest.approx(1.8)
