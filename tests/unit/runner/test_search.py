"""The verdict of a search's trial, kept with the trial."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from autostrada.experiment.matrix import Cell
from autostrada.experiment.workload import Bots, Feed, Push
from autostrada.runner.search import is_well, search_of, with_verdict
from autostrada.store.record import Bucket, Failure, Figure, Measurement, Trial

STEADY = Bots(name="steady", kind="bots", window_s=1)
SEARCH = {
    "parameter": "connections",
    "first": 1,
    "last": 8,
    "response_time_ms_max": 20,
}
RAMP = Bots(name="ramp", kind="bots", window_s=1, search=SEARCH)
PUSH = Push(
    name="push", kind="push", messages=1, payload_text="x", frames_per_write="one"
)
HOLD = Feed(
    name="hold", kind="feed", feed="clock", seconds=1, every_ms=100, search=SEARCH
)
STEADY_FIGURE = Figure(process="server", figure="is_steady", value=1.0)
FAILURE = Failure(kind="crashed", message="exited with 3", stderr_tail="")


def measurement(achieved_share=1.0, response_ms=1):
    value_ns = response_ms * 1_000_000
    return Measurement(
        messages=10,
        payload_bytes=110,
        duration_ns=1_000_000_000,
        server_busy_share=0.1,
        client_busy_share=0.1,
        processes=(),
        ends=(),
        seconds=(),
        achieved_share=achieved_share,
        figures=(Figure(process="client", figure="achieved_per_s", value=10.0),),
        buckets=(
            Bucket(
                process="client", figure="response_time_ns", value_ns=value_ns, count=10
            ),
        ),
    )


def trial(outcome):
    return Trial(
        cell=Cell(server="fast", workload="ramp connections=1"),
        repetition=0,
        is_warm_up=False,
        started_at=datetime(2026, 11, 21, tzinfo=UTC),
        outcome=outcome,
    )


@pytest.mark.parametrize(
    ("outcome", "unwell"),
    [
        (measurement(), ""),
        (
            measurement(achieved_share=0.9),
            "90.00% of the offered load was achieved (at least 99.00% is asked for)",
        ),
        (
            measurement(response_ms=30),
            "the response time was 30.0 ms at the quantile 0.99, and 20 ms are allowed",
        ),
    ],
)
def test_a_trial_gets_the_verdict_as_a_figure_and_why(outcome, unwell):
    judged = with_verdict(RAMP, trial(outcome))
    assert is_well(judged) is (unwell == "")
    expected = Figure(process="client", figure="is_well", value=float(not unwell))
    figures = (*outcome.figures, expected)
    assert judged.outcome == replace(outcome, figures=figures, unwell=unwell)


@pytest.mark.parametrize(
    ("figures", "unwell", "is_said"),
    [
        ((STEADY_FIGURE,), "", ""),
        ((replace(STEADY_FIGURE, value=0.0),), "2 came at once", "2 came at once"),
        ((), "", "whether it was steady could not be told"),
    ],
)
def test_a_feed_is_well_where_it_was_steady(figures, unwell, is_said):
    outcome = replace(measurement(), figures=figures, unwell=unwell)
    judged = with_verdict(HOLD, trial(outcome))
    assert judged.outcome.unwell == is_said
    assert is_well(judged) is (is_said == "")


def test_a_failure_is_not_well():
    failed = trial(FAILURE)
    assert with_verdict(RAMP, failed) is failed
    assert not is_well(failed)


@pytest.mark.parametrize("workload", [STEADY, PUSH])
def test_what_is_no_search_has_no_verdict(workload):
    measured = trial(measurement())
    assert search_of(workload) is None
    assert with_verdict(workload, measured) is measured
    assert not is_well(measured)
