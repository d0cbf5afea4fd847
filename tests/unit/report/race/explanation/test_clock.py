"""What clients say of their own duration, beside what the engine measured."""

from dataclasses import replace

import pytest

from autostrada.report.race.explanation.clock import clock


def test_a_client_that_is_told_late_looks_faster_than_it_is(ranking, nothing):
    one = ranking("one", {"ada": 10, "bash": 20, "cobol": 30})
    traces = {
        ("one", "ada"): replace(nothing, clock_ratio=1.0, late_ms=0.5),
        ("one", "bash"): replace(nothing, clock_ratio=2.0, late_ms=40.0),
        ("one", "cobol"): replace(nothing, clock_ratio=1.0, late_ms=0.7),
    }
    found = clock(one, traces)
    assert found.effects["bash"] == pytest.approx(2.0)
    # ada is still ahead of the median: it has not been put behind it.
    assert found.effects["ada"] == 1.0
    said = " ".join(found.measured).replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert "by 0.70 ms in the median of 3 clients" in said
    assert (
        "bash, which would look 2.00× as fast as it is: it leaves out 40.0 ms" in said
    )


def test_of_one_client_nothing_can_be_told(ranking, nothing):
    trace = replace(nothing, clock_ratio=1.0, late_ms=0.5)
    one = ranking("one", {"ada": 10, "bash": 20})
    assert "fewer than two" in clock(one, {("one", "ada"): trace}).lacks
    assert clock(None, {}).lacks
