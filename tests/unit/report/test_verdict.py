"""Sentences about bottlenecks."""

from dataclasses import replace

import pytest

from autostrada.report.ranking import rankings
from autostrada.report.verdict import bottleneck_sentences, head_room
from autostrada.stats.verdict import Bottleneck, HeadRoom


@pytest.fixture(scope="module")
def ada(race):
    return rankings(race)[0].measured[0].outcome.verdict


def test_a_bottleneck_is_shown_with_its_evidence_and_the_next_one(ada):
    assert bottleneck_sentences(ada, 5) == (
        "Bottleneck: client CPU. Engine (server) busy 20% of the time; client at 100% "
        "of its cores; sockets of the client and the server not sampled; server "
        "without room to send 70% of the time. The next is "
        "load generator, at 5.0× the rate."
    )


def test_trials_that_disagree_are_counted(ada):
    divided = replace(ada, agreement_share=0.6)
    assert bottleneck_sentences(divided, 5).startswith(
        "Bottleneck: client CPU, in 3 of 5 trials. "
    )


@pytest.mark.parametrize(
    ("factor", "text"),
    [(1, "1.0×"), (9.94, "9.9×"), (12.3, "12×"), (100, "100×"), (4711, ">100×")],
)
def test_the_head_room_is_rounded(ada, factor, text):
    room = HeadRoom(factor=factor, bottleneck=Bottleneck.CLIENT_CPU)
    assert head_room(replace(ada, head_room=room)) == f"client CPU {text}"


def test_without_head_room_there_is_no_sentence_about_it(ada):
    broken = replace(ada, bottleneck=Bottleneck.BROKEN, head_room=None)
    assert head_room(broken) == ""
    assert "next" not in bottleneck_sentences(broken, 5)
