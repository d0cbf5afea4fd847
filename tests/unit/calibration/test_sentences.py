"""Lines of the calibration's output."""

import pytest

from autostrada.calibration.bottlenecks import known_bottlenecks
from autostrada.calibration.comparison import ExpectedMetric
from autostrada.calibration.sentences import (
    describe_comparison,
    describe_machine,
    describe_outcome,
    summary,
)

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


def test_the_noise_of_the_machine_is_two_short_lines():
    lines = describe_machine(MACHINE).splitlines()
    assert lines[0] == "machine   loopback 2.1 GB/s, 3.2 M calls/s, timers 55 µs late"
    assert lines[1] == "          others 1%, stolen unknown of 2 cores"


DISTURBED = "others used 96% of core 1; others used 91% of core 0; 4% of a core stolen"
UNMET = ExpectedMetric(metric="missing", seen=1, expected=0)
CORRECT, WRONG = (
    ExpectedMetric(metric="correct", seen=seen, expected=20) for seen in (20, 3)
)


@pytest.fixture
def known_outcome(outcome):
    """Return a function that makes the outcome of a known bottleneck."""
    _, known, *_ = known_bottlenecks()
    return lambda *args, **changes: outcome(*args, case=known, **changes)


def test_a_line_shows_the_decisive_metric_or_the_reason(
    outcome, known_outcome, snapshot
):
    unclear = "classified as unclear"
    left_out = {"reason": "not calibrated: takes root", "is_left_out": True}
    outcomes = [
        outcome("pass", DELAY, ExpectedMetric(metric="missing", seen=0, expected=0)),
        outcome("fail", DELAY, UNMET),
        outcome("disturbed", reason="others used 50%"),
        outcome("disturbed", reason=DISTURBED),
        known_outcome("pass", CORRECT, note="All is well. " * 10),
        known_outcome("fail", WRONG, reason=unclear, note="Nobody is busy."),
        known_outcome("disturbed", **left_out),
    ]
    lines = [f"{each.verdict:<10}{describe_outcome(each)}\n" for each in outcomes]
    snapshot("outcomes.txt", "".join(lines))
    assert max(len(line) for text in lines for line in text.splitlines()) <= 80


def test_the_last_line_is_a_summary(outcome, known_outcome):
    passed, failed = outcome("pass", DELAY), outcome("fail", DELAY)
    disturbed = outcome("disturbed", reason="others")
    left_out = known_outcome("disturbed", is_left_out=True)
    assert summary([passed]) == "calibrated: 1 of 1 cases passed"
    assert summary([passed, failed, disturbed]) == (
        "not calibrated: 1 failed, 1 of 3 cases passed"
    )
    assert summary([passed, disturbed]) == (
        "machine disturbed: 1 not judged, 1 of 2 cases passed"
    )
    assert summary([passed, left_out]) == "calibrated: 1 of 1 cases passed, 1 left out"
