"""Lines as people read them."""

from dataclasses import replace

import pytest

from autostrada.calibration.bottlenecks.cases import KnownBottleneck
from autostrada.calibration.judgement import Comparison
from autostrada.calibration.sentences import (
    comparison_in_words,
    machine_in_words,
    outcome_in_words,
    summary,
)
from autostrada.calibration.session import Outcome, Verdict
from autostrada.stats.verdict import Bottleneck

DELAY = Comparison(
    figure="response_time_ns", seen=20_020_000, expected=2e7, tolerance=400_000
)
MACHINE = {
    "loopback_bytes_per_s": {"median": 2.14e9, "lowest": 1e9, "highest": 3e9},
    "system_calls_per_s": {"median": 3.2e6, "lowest": 3e6, "highest": 4e6},
    "timer_lateness_ns": [[55_000, 1000]],
    "steal_share": None,
    "other_busy_share": 0.01,
    "cores": 2,
}


@pytest.fixture
def outcome(case):
    def make(verdict, *comparisons, reason=""):
        return Outcome(
            case=case("delay-20ms"),
            verdict=verdict,
            comparisons=comparisons,
            reason=reason,
            attempts=1,
        )

    return make


@pytest.mark.parametrize(
    ("figure", "seen", "expected", "tolerance", "words"),
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
def test_a_figure_is_shown_in_its_unit(figure, seen, expected, tolerance, words):
    comparison = Comparison(
        figure=figure, seen=seen, expected=expected, tolerance=tolerance
    )
    assert comparison_in_words(comparison) == words


def test_a_line_shows_what_the_case_is_for_or_what_failed(outcome):
    met = Comparison(figure="missing", seen=0, expected=0)
    unmet = Comparison(figure="missing", seen=1, expected=0)
    line = outcome_in_words(outcome(Verdict.PASS, DELAY, met))
    assert line == ("delay-20ms      engine server   20.02 ms, expected 20.00 ± 0.40")
    line = outcome_in_words(outcome(Verdict.FAIL, DELAY, unmet))
    assert line.endswith("1 missing, expected 0")


def test_a_disturbed_line_has_a_reason_and_no_figure(outcome):
    line = outcome_in_words(outcome(Verdict.DISTURBED, reason="others used 50%"))
    assert line == "delay-20ms      engine server   others used 50%"


def test_what_the_machine_can_do_is_two_short_lines():
    lines = machine_in_words(MACHINE).splitlines()
    assert lines[0] == "machine   loopback 2.1 GB/s, 3.2 M calls/s, timers 55 µs late"
    assert lines[1] == "          others 1%, stolen unknown of 2 cores"


def test_the_last_line_says_what_came_of_all(outcome):
    passed = outcome(Verdict.PASS, DELAY)
    failed = outcome(Verdict.FAIL, DELAY)
    disturbed = outcome(Verdict.DISTURBED, reason="others")
    assert summary([passed]) == "calibrated: 1 of 1 cases passed"
    assert summary([passed, failed, disturbed]) == (
        "not calibrated: 1 failed, 1 of 3 cases passed"
    )
    assert summary([passed, disturbed]) == (
        "machine disturbed: 1 not judged, 1 of 2 cases passed"
    )


@pytest.fixture
def bottleneck_outcome(outcome):
    """Return what came of a known bottleneck."""

    def make(*args, **kwargs):
        known = KnownBottleneck(bottleneck=Bottleneck.MACHINE)
        return replace(outcome(*args), case=known, **kwargs)

    return make


def test_what_is_said_of_a_known_limit_stands_below_its_line(bottleneck_outcome):
    right = Comparison(figure="judged_right", seen=20, expected=20)
    told = bottleneck_outcome(Verdict.PASS, right, note="All is well. " * 10)
    line, *noted = outcome_in_words(told).splitlines()
    assert line == (
        "verdict-machine           engine server   20 judged right, expected 20"
    )
    assert len(noted) == 2
    assert all(each.startswith(" " * 10) for each in noted)
    assert max(map(len, [f"{told.verdict:<10}{line}", *noted])) <= 80


def test_a_wrong_judgement_is_told_before_its_evidence(bottleneck_outcome):
    wrong = Comparison(figure="judged_right", seen=3, expected=20)
    told = bottleneck_outcome(
        Verdict.FAIL, wrong, reason="judged as unclear", note="Nobody is busy."
    )
    assert outcome_in_words(told).splitlines() == [
        "verdict-machine           engine server   3 judged right, expected 20",
        "          judged as unclear: Nobody is busy.",
    ]


def test_what_cannot_be_had_here_is_left_out_of_the_sum(outcome, bottleneck_outcome):
    passed = outcome(Verdict.PASS, DELAY)
    missing = bottleneck_outcome(
        Verdict.DISTURBED, reason="not calibrated: takes root", is_left_out=True
    )
    assert outcome_in_words(missing).splitlines() == [
        "verdict-machine           engine server",
        "          not calibrated: takes root",
    ]
    assert summary([passed, missing]) == ("calibrated: 1 of 1 cases passed, 1 left out")
