"""Evidence for a verdict, from made-up results of a load."""

import pytest
from tests.unit.workloads.made_up import load_result

from autostrada.engine.messages import (
    Exchange,
    LoadFailure,
    Regularity,
    Sequence,
)
from autostrada.evidence.results import load_evidence, utilization
from autostrada.stats.evidence import Pacing
from autostrada.stats.verdict import Bottleneck, classify
from autostrada.store.record import EndEvidence

RESULT = {
    "utilizations": [0.25, 0.5],
    "ended": "complete",
    "failures": [],
    "exchange": None,
    "sequence": None,
    "regularity": None,
}
CLOSED = {"offered_rate_per_s": None, "achieved_share": None}
OPEN = {"offered_rate_per_s": 1000.0, "achieved_share": 0.99}
LATE = "sent 5 of 10 messages a second"


def result(**changes):
    """Return a result in which only some keys are used."""
    made = RESULT | changes
    parts = {"exchange": Exchange, "sequence": Sequence, "regularity": Regularity}
    for name, part in parts.items():
        if made[name] is not None:
            made[name] = part.model_construct(**made[name])
    made["failures"] = tuple(
        LoadFailure.model_construct(**each) for each in made["failures"]
    )
    return load_result(**made)


def evidence(*, server_share=0.3, disturbance="", **changes):
    found = result(**changes)
    server = EndEvidence(
        process="server", is_engine=False, cpu_cores=0.3, utilization=server_share
    )
    client = EndEvidence(
        process="client", is_engine=True, cpu_cores=0.2, utilization=utilization(found)
    )
    return load_evidence(found, server, client, disturbance)


def test_the_engine_is_as_busy_as_its_busiest_thread():
    assert utilization(result()) == 0.5
    assert utilization(result(utilizations=[])) == 0.0


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
def test_the_metrics_name_the_sender_and_the_send_rate(
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
            "1 connection was closed early",
        ),
        (
            {
                "failures": [{"kind": "mismatch", "count": 2000}],
                "sequence": {"missing": 3, "duplicates": 0, "reordered": 1},
            },
            "2,000 messages had wrong content; 3 messages are missing; "
            "1 message arrived out of order",
        ),
        ({"failures": [{"kind": "new", "count": 2}]}, "2 new"),
        ({"ended": "closed"}, "the server ended all connections"),
    ],
)
def test_failures_are_described_in_words(changes, faults):
    assert evidence(exchange=CLOSED, **changes).faults == faults


def test_unanswered_messages_of_a_busy_server_are_its_backlog():
    late = {"failures": [{"kind": "timeout", "count": 5}]}
    behind = OPEN | {"achieved_share": 0.7}
    assert evidence(exchange=behind, server_share=1.0, **late).faults == ""
    lost = "5 answers were not in time"
    assert evidence(exchange=behind, **late).faults == lost
    assert evidence(exchange=CLOSED, server_share=1.0, **late).faults == lost


def test_the_engine_reports_that_it_was_the_limit():
    behind = OPEN | {"achieved_share": 0.5}
    found = evidence(exchange=behind, generator_limited=LATE)
    verdict = classify(found)
    assert verdict.bottleneck is Bottleneck.LOAD_GENERATOR
    assert verdict.evidence.startswith(
        "Load generator: sent 5 of 10 messages a second; server at 30%"
    )


def test_an_engine_that_is_late_but_not_busy_was_disturbed():
    found = evidence(exchange=OPEN, generator_limited=LATE, utilizations=[0.49])
    verdict = classify(found)
    assert verdict.bottleneck is Bottleneck.MACHINE
    assert verdict.evidence.startswith(
        f"The engine sent late although it was not busy ({LATE}); server at 30%"
    )


def test_a_disturbance_of_the_machine_is_included():
    assert evidence(disturbance="others used 40% of core 1").disturbance
