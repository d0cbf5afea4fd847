"""From the result of a load to a verdict's evidence, with results made up."""

import pytest

from autostrada.engine.messages import (
    Exchange,
    LoadFailure,
    LoadResult,
    Regularity,
    Sequence,
)
from autostrada.evidence.results import busy_share, load_evidence
from autostrada.stats.evidence import Pacing
from autostrada.stats.verdict import Bottleneck, judge
from autostrada.store.record import EndEvidence

RESULT = {
    "event": "result",
    "messages": 7,
    "wrong": 0,
    "failures": [],
    "exchange": None,
    "sequence": None,
    "regularity": None,
    "busy_shares": [0.25, 0.5],
    "window_start_ns": 1,
    "window_ns": 1_000_000_000,
    "ended": "complete",
    "generator_limited": None,
}
CLOSED = {"offered_rate_per_s": None, "achieved_share": None}
OPEN = {"offered_rate_per_s": 1000.0, "achieved_share": 0.99}
LATE = "sent 5 of 10 messages a second"


def result(**changes):
    """Return a result of which only some keys are used."""
    made = RESULT | changes
    parts = {"exchange": Exchange, "sequence": Sequence, "regularity": Regularity}
    for name, part in parts.items():
        if made[name] is not None:
            made[name] = part.model_construct(**made[name])
    made["failures"] = tuple(
        LoadFailure.model_construct(**each) for each in made["failures"]
    )
    return LoadResult.model_construct(**made)


def evidence(*, server_share=0.3, disturbance="", **changes):
    found = result(**changes)
    server = EndEvidence(
        process="server", is_engine=False, cpu_cores=0.3, busy_share=server_share
    )
    client = EndEvidence(
        process="client", is_engine=True, cpu_cores=0.2, busy_share=busy_share(found)
    )
    return load_evidence(found, server, client, disturbance)


def test_the_engine_is_as_busy_as_its_busiest_thread():
    assert busy_share(result()) == 0.5
    assert busy_share(result(busy_shares=[])) == 0.0


@pytest.mark.parametrize(
    ("changes", "sender", "pacing", "achieved_share"),
    [
        ({}, "server", Pacing.CONTINUOUS, None),
        ({"exchange": CLOSED}, "client", Pacing.CLOSED_LOOP, None),
        ({"exchange": OPEN}, "client", Pacing.OPEN_LOOP, 0.99),
        (
            {"regularity": {"judged": 30, "backlog": 10}},
            "server",
            Pacing.OPEN_LOOP,
            0.75,
        ),
        (
            {"regularity": {"judged": 0, "backlog": 0}},
            "server",
            Pacing.OPEN_LOOP,
            None,
        ),
    ],
)
def test_the_figures_tell_who_sends_and_at_what_pace(
    changes, sender, pacing, achieved_share
):
    found = evidence(**changes)
    assert (found.sender, found.pacing) == (sender, pacing)
    assert found.achieved_share == achieved_share


@pytest.mark.parametrize(
    ("changes", "faults"),
    [
        ({}, ""),
        (
            {"failures": [{"kind": "close", "count": 1}]},
            "1 connection was closed before its time",
        ),
        (
            {
                "failures": [{"kind": "mismatch", "count": 2000}],
                "sequence": {"missing": 3, "duplicates": 0, "reordered": 1},
            },
            "2,000 messages were not what they should be; 3 messages are missing; "
            "1 message came out of order",
        ),
        ({"failures": [{"kind": "new", "count": 2}]}, "2 new"),
        ({"ended": "closed"}, "the server ended all connections"),
    ],
)
def test_what_broke_is_told_in_words(changes, faults):
    assert evidence(exchange=CLOSED, **changes).faults == faults


def test_answers_that_a_busy_server_owes_to_an_open_loop_are_its_backlog():
    late = {"failures": [{"kind": "timeout", "count": 5}]}
    behind = OPEN | {"achieved_share": 0.7}
    assert evidence(exchange=behind, server_share=1.0, **late).faults == ""
    lost = "5 answers did not come in time"
    assert evidence(exchange=behind, **late).faults == lost
    assert evidence(exchange=CLOSED, server_share=1.0, **late).faults == lost


def test_the_engine_says_itself_that_it_was_the_limit():
    behind = OPEN | {"achieved_share": 0.5}
    found = evidence(exchange=behind, generator_limited=LATE)
    verdict = judge(found)
    assert verdict.bottleneck is Bottleneck.LOAD_GENERATOR
    assert verdict.evidence.startswith(
        "Load generator: sent 5 of 10 messages a second; server at 30%"
    )


def test_an_engine_that_is_late_and_has_time_was_disturbed():
    found = evidence(exchange=OPEN, generator_limited=LATE, busy_shares=[0.49])
    verdict = judge(found)
    assert verdict.bottleneck is Bottleneck.MACHINE
    assert verdict.evidence.startswith(
        f"The engine had time and was late all the same ({LATE}); server at 30%"
    )


def test_what_disturbed_the_machine_is_handed_on():
    assert evidence(disturbance="steal 4% of core 1").disturbance
