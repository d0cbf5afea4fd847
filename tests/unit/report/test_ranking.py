"""Rankings of trials without slices, and sentences about their bottlenecks."""

from dataclasses import replace

import pytest

from autostrada.report.ranking import rankings, with_ranks
from autostrada.report.ranking_text import headline, to_best, violation_note
from autostrada.report.samples import Sampled
from autostrada.report.verdict import bottleneck_sentences, head_room
from autostrada.stats.metrics import METRICS
from autostrada.stats.verdict import Bottleneck, HeadRoom


@pytest.fixture(scope="module")
def batched(race):
    return next(each for each in rankings(race) if each.point == "batched")


def test_one_value_has_no_rank_and_decides_no_other(batched):
    ada, cobol, bash = batched.standings[:3]
    metrics = {**bash.outcome.metrics, bash.metric.name: Sampled(values=(100.0,))}
    once = replace(bash, outcome=replace(bash.outcome, metrics=metrics))
    ranking = replace(batched, standings=tuple(with_ranks([once, ada, cobol], None)))
    assert [each.rank for each in ranking.standings] == [None, 1, 2]
    assert [to_best(each, ranking) for each in ranking.standings] == [
        "0.50×", "1.00×", "1.99×",
    ]  # fmt: skip
    assert headline(ranking) == (
        "ada-fast is the fastest. The next, cobol-mid, takes 1.99× as long. bash-slow "
        "has a better value, but only one, and no rank."
    )


def test_a_rate_that_grows_within_the_window_has_no_rank(batched):
    def growing(standing, *values):
        metrics = {
            **standing.outcome.metrics,
            "achieved_per_s": Sampled(values=(50.0, 51.0, 52.0, 53.0, 54.0)),
            "rate_growth": Sampled(values=values),
        }
        outcome = replace(standing.outcome, metrics=metrics)
        metric = METRICS["achieved_per_s"]
        return replace(standing, outcome=outcome, metric=metric, rank=None)

    ada, cobol, bash = batched.standings[:3]
    made = [
        growing(ada, 1.3, 1.4, 1.3, 1.5, 1.6),
        growing(cobol, 1.0, 1.1, 1.3, 1.5, 1.6),
        growing(bash, 2.0),
    ]
    assert made[0].text == "not yet steady"
    assert [each.is_unsteady for each in made] == [True, False, False]
    assert [each.rank for each in with_ranks(made, None)] == [None, 1, 1]


def test_a_row_has_the_first_reason_why_a_repetition_is_not_steady(batched):
    outcome = batched.standings[0].outcome
    assert violation_note(outcome) == ""
    assert violation_note(replace(outcome, violations=("it rises",) * 3)) == (
        "In 3 of 5 repetitions: it rises; 2 more."
    )


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
