"""Conditions: when the cells of a comparison meet them."""

import pytest
from tests.unit.report.compare.archive import CRASH, FEW, SILENT
from tests.unit.report.records import push, values

from autostrada.errors import UsageError
from autostrada.report.compare import loads, rounds, runs
from autostrada.report.compare.gate import check_condition, parse_gate
from autostrada.report.text import without_thin_spaces
from autostrada.store.record import Bucket

NOISE = (-0.2, -0.1, 0, 0.1, 0.2)
ADA, BASH = "ada-fast in batched", "bash-slow in batched"


def check(comparison, text):
    condition = parse_gate(text, runs.CONDITIONS)
    return check_condition(condition, comparison.metrics)


def failed(comparison, text):
    return [line.partition(":")[0] for line in check(comparison, text).failed]


def test_an_unknown_metric_of_few_has_all_of_them():
    with pytest.raises(UsageError, match="choose one of cpu, p99, memory, rate"):
        parse_gate("p50 > +5%", rounds.CONDITIONS)


@pytest.mark.parametrize("text", ["latency_p99 > +5%", "latency_p99.9 > 5"])
def test_an_unknown_metric_has_similar_ones(text):
    with pytest.raises(UsageError, match=r"no metric is called .*; did you mean laten"):
        parse_gate(text, runs.CONDITIONS)


@pytest.mark.parametrize("text", ["", "p99", "p99 > 5", "p99 > 0", "p99 > +5"])
def test_a_condition_of_loads_is_a_change(text):
    with pytest.raises(UsageError, match=r"p99 > \+5%"):
        parse_gate(text, loads.CONDITIONS)


@pytest.mark.parametrize(
    ("text", "failing"),
    [
        ("ms_per_million > +5%", [ADA]),
        ("ms_per_million > +15%", [ADA]),
        ("ms_per_million > +20%", []),
        ("ms_per_million < -5%", [BASH]),
        ("messages_per_s < -5%", [ADA]),
        ("messages_per_s > +5%", [BASH]),
        ("client_cpu_us_per_message > +5%", [ADA]),
        ("client_memory_bytes_max > +0%", []),
        ("client_memory_bytes_max < 11000000", [ADA, BASH, "ada-fast in alone"]),
        ("ms_per_million > 1000", [BASH, "ada-fast in alone"]),
    ],
)
def test_a_condition_fails_cells_that_are_significantly_beyond_it(
    changed, text, failing
):
    assert failed(changed, text) == failing
    assert check(changed, text).unchecked == ()


def test_the_evidence_is_a_change_or_the_metric_itself(changed):
    gate = check(changed, "messages_per_s < -5%")
    assert gate.failed == (f"{ADA}: -16.7% (-19.1% to -14.1%)",)
    assert gate.passed == ("in 2 cells",)
    gate = check(changed, "ms_per_million > 1000")
    lines = [without_thin_spaces(line) for line in (gate.failed[0], *gate.passed)]
    assert lines == [
        f"{BASH}: 3.60 s (3.53 s to 3.67 s)",
        f"{ADA}: 240 ms (235 ms to 245 ms)",
    ]


def test_a_change_beyond_the_noise_fails_a_condition(archive):
    archive.add(FEW, spread=NOISE)
    archive.add({key: 2 * ns for key, ns in FEW.items()}, spread=NOISE)
    assert len(failed(archive.compare(), "ms_per_million > +5%")) == 2


def test_a_change_within_the_noise_has_not_passed(archive):
    archive.add(FEW, spread=NOISE)
    archive.add({key: 1.1 * ns for key, ns in FEW.items()}, spread=NOISE)
    gate = check(archive.compare(), "ms_per_million > +5%")
    assert (gate.failed, gate.passed) == ((), ())
    assert gate.undecided[0].startswith(f"{ADA}: +10.0% (")
    assert " and bash-slow in alone: +10.0% (" in gate.undecided[0]
    [line] = gate.lines
    assert line.startswith("undecided: ms_per_million > +5%: ")


def test_the_reference_fails_no_condition(begun):
    begun.add(FEW | {("batched", "reference"): 100})
    assert failed(begun.compare(), "ms_per_million > +5%") == []


def test_a_fixed_limit_does_not_need_the_first_side(archive):
    archive.add({("batched", "ada-fast"): SILENT})
    archive.add(FEW)
    assert failed(archive.compare(), "client_memory_bytes_max > 9") == [ADA]


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
    with pytest.raises(UsageError, match=f"cannot be judged: {remedy}"):
        check(archive.compare(), text)


def test_a_condition_without_common_cells_is_refused(archive):
    archive.add({("batched", "ada-fast"): 200})
    archive.add({("batched", "ada-fast"): [CRASH] * 5})
    condition = parse_gate("messages_per_s < -5%", runs.CONDITIONS)
    with pytest.raises(
        UsageError, match=r"none in common \(.*B: failed: crashed\); run both"
    ):
        runs.report_runs(archive.compare(), [condition])


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
    assert failed(comparison, "latency_ms_p50 > +5%") == []
    assert failed(comparison, "latency_ms_p99 > 8") == [ADA]
    assert failed(comparison, "dropped_messages > 0") == [ADA]
    assert failed(comparison, "dropped_messages > +5%") == [ADA]
    assert check(comparison, "latency_ms_p99 > +50%").failed == (
        f"{ADA}: +80.0% (+80.0% to +80.0%)",
    )
