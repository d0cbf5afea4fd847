"""The verdict of a search's trial, kept with the trial."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from autostrada.plan.matrix import Cell
from autostrada.plan.workload import Bots, Push
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
    ("outcome", "verdict"),
    [
        (measurement(), True),
        (measurement(achieved_share=0.9), False),
        (measurement(response_ms=30), False),
    ],
)
def test_a_trial_gets_the_verdict_as_a_figure(outcome, verdict):
    judged = with_verdict(RAMP, trial(outcome))
    assert is_well(judged) is verdict
    expected = Figure(process="client", figure="is_well", value=float(verdict))
    assert judged.outcome == replace(outcome, figures=(*outcome.figures, expected))


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
