"""Lines of the calibration's output."""

from dataclasses import replace

import pytest

from autostrada.calibration.bottlenecks.cases import KnownBottleneck
from autostrada.calibration.comparison import ExpectedMetric
from autostrada.calibration.sentences import (
    describe_comparison,
    describe_machine,
    describe_outcome,
    summary,
)
from autostrada.calibration.session import FaultOutcome, FaultVerdict
from autostrada.stats.verdict import Bottleneck

DELAY = ExpectedMetric(
    metric="response_time_ns", seen=20_020_000, expected=2e7, tolerance=400_000
)
MACHINE = {
    "loopback_bytes_per_s": {"median": 2.14e9, "lowest": 1e9, "highest": 3e9},
    "system_calls_per_s": {"median": 3.2e6, "lowest": 3e6, "highest": 4e6},
    "timer_lateness_ns": [[55_000, 1000]],
    "steal_share": None,
    "other_utilization": 0.01,
    "cores": 2,
}


@pytest.fixture
def outcome(case):
    def make(verdict, *comparisons, reason=""):
        return FaultOutcome(
            case=case("delay-20ms"),
            verdict=verdict,
            comparisons=comparisons,
            reason=reason,
            attempts=1,
        )

    return make


@pytest.mark.parametrize(
    ("metric", "seen", "expected", "tolerance", "text"),
    [
        ("missing", 284, 284, 0, "284 missing, expected 284"),
        ("ended", 10, 10, 0, "10 ended, expected 10"),
        ("messages_from_10ms", 181, 180, 6, "181 ≥ 10ms, expected 180 ± 6"),
        ("messages_from_10ms", 90, 90.5, 3, "90.0 ≥ 10ms, expected 90.5 ± 3.0"),
        ("served_from_10ms", 0, 0, 0, "0 served ≥ 10ms, expected 0"),
        ("achieved_rate_per_s", 998.0, 1000, 20, "998/s, expected 1,000 ± 20"),
        ("on_time_share", 0.2, 0.2, 0.01, "20.0% on time, expected 20.0 ± 1.0"),
        ("resident_bytes", 2**20, 2**20, 2**14, "1.00 MiB, expected 1.00 ± 0.02"),
        (
            "response_time_ns_max",
            1e8,
            1e8,
            3e6,
            "100.0 ms longest, expected 100.0 ± 3.0",
        ),
    ],
)
def test_a_metric_is_shown_in_its_unit(metric, seen, expected, tolerance, text):
    comparison = ExpectedMetric(
        metric=metric, seen=seen, expected=expected, tolerance=tolerance
    )
    assert describe_comparison(comparison) == text


def test_a_line_shows_the_metric_of_the_case_or_the_failed_one(outcome):
    met = ExpectedMetric(metric="missing", seen=0, expected=0)
    unmet = ExpectedMetric(metric="missing", seen=1, expected=0)
    line = describe_outcome(outcome(FaultVerdict.PASS, DELAY, met))
    assert line == ("delay-20ms      engine server   20.02 ms, expected 20.00 ± 0.40")
    line = describe_outcome(outcome(FaultVerdict.FAIL, DELAY, unmet))
    assert line.endswith("1 missing, expected 0")


def test_a_disturbed_line_has_a_reason_and_no_metric(outcome):
    line = describe_outcome(outcome(FaultVerdict.DISTURBED, reason="others used 50%"))
    assert line == "delay-20ms      engine server   others used 50%"


def test_the_noise_of_the_machine_is_two_short_lines():
    lines = describe_machine(MACHINE).splitlines()
    assert lines[0] == "machine   loopback 2.1 GB/s, 3.2 M calls/s, timers 55 µs late"
    assert lines[1] == "          others 1%, stolen unknown of 2 cores"


def test_the_last_line_is_a_summary(outcome):
    passed = outcome(FaultVerdict.PASS, DELAY)
    failed = outcome(FaultVerdict.FAIL, DELAY)
    disturbed = outcome(FaultVerdict.DISTURBED, reason="others")
    assert summary([passed]) == "calibrated: 1 of 1 cases passed"
    assert summary([passed, failed, disturbed]) == (
        "not calibrated: 1 failed, 1 of 3 cases passed"
    )
    assert summary([passed, disturbed]) == (
        "machine disturbed: 1 not judged, 1 of 2 cases passed"
    )


@pytest.fixture
def bottleneck_outcome(outcome):
    """Return a function that makes the outcome of a known bottleneck."""

    def make(*args, **kwargs):
        known = KnownBottleneck(bottleneck=Bottleneck.MACHINE)
        return replace(outcome(*args), case=known, **kwargs)

    return make


def test_evidence_of_a_known_bottleneck_is_below_its_line(bottleneck_outcome):
    right = ExpectedMetric(metric="correct", seen=20, expected=20)
    described = bottleneck_outcome(FaultVerdict.PASS, right, note="All is well. " * 10)
    line, *noted = describe_outcome(described).splitlines()
    assert line == ("verdict-machine           engine server   20 correct, expected 20")
    assert len(noted) == 2
    assert all(each.startswith(" " * 10) for each in noted)
    assert max(map(len, [f"{described.verdict:<10}{line}", *noted])) <= 80


def test_a_wrong_verdict_is_shown_before_its_evidence(bottleneck_outcome):
    wrong = ExpectedMetric(metric="correct", seen=3, expected=20)
    described = bottleneck_outcome(
        FaultVerdict.FAIL, wrong, reason="classified as unclear", note="Nobody is busy."
    )
    assert describe_outcome(described).splitlines() == [
        "verdict-machine           engine server   3 correct, expected 20",
        "          classified as unclear: Nobody is busy.",
    ]


def test_a_skipped_case_is_not_part_of_the_summary(outcome, bottleneck_outcome):
    passed = outcome(FaultVerdict.PASS, DELAY)
    missing = bottleneck_outcome(
        FaultVerdict.DISTURBED, reason="not calibrated: takes root", is_left_out=True
    )
    assert describe_outcome(missing).splitlines() == [
        "verdict-machine           engine server",
        "          not calibrated: takes root",
    ]
    assert summary([passed, missing]) == ("calibrated: 1 of 1 cases passed, 1 left out")


def test_a_long_reason_stands_below_its_case(outcome):
    reason = "others used 96% of core 1; others used 91% of core 0; 4% of a core stolen"
    first, *below = describe_outcome(
        outcome(FaultVerdict.DISTURBED, reason=reason)
    ).splitlines()
    assert first == "delay-20ms      engine server"
    assert max(map(len, below)) <= 80
    assert " ".join(line.strip() for line in below) == reason
