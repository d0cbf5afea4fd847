"""Sentences that answer the question of an experiment."""

from dataclasses import replace

import pytest
from tests.unit.report.market import DEFINITION

from autostrada.experiment.experiment import parse_experiment
from autostrada.report.answers import answers
from autostrada.report.claims import conclusions
from autostrada.report.headlines import headlines, summary
from autostrada.report.number import THIN_SPACE
from autostrada.report.ranking import rankings
from autostrada.stats.verdict import Bottleneck

ADA = '{ server = "ada-server", workload = "json processes=1 stocks=1" }'
ADA_WITH_TEN = '{ server = "ada-server", workload = "json processes=1 stocks=10" }'
COBOL = '{ server = "cobol-server", workload = "json processes=1 stocks=1" }'
KILLED = '{ server = "cobol-server", workload = "json processes=2 stocks=10" }'
MORE = 'words = ["more", "less"]'
RECEIVED = "received per second by each client."


@pytest.fixture
def limited(market, cell):
    """Return a function: the market in which the engine limited some servers."""

    def limited(*servers):
        outcomes = dict(market.outcomes)
        for server in servers:
            outcome = outcomes[cell(server, 1, 1)]
            verdict = replace(outcome.verdict, bottleneck=Bottleneck.LOAD_GENERATOR)
            outcomes[outcome.cell] = replace(outcome, verdict=verdict)
        return replace(market, outcomes=outcomes)

    return limited


def answered(results, of, to, words=""):
    """Return the answers if the experiment asks for one comparison."""
    definition = f"""{DEFINITION[: DEFINITION.index("[[answer]]")]}
[[answer]]
text = "It is {{it}}."

[answer.metrics.it]
metric = "received_per_client_per_s"
of = {of}
to = {to}
{words}
"""
    experiment = parse_experiment(definition, origin="market")
    return answers(replace(results, experiment=experiment))


def test_a_report_begins_with_the_answer(market):
    first, second = headlines(market, rankings(market), conclusions(market))
    assert first == answers(market)[0]
    assert second.startswith("Of 6 published conclusions")
    assert summary(market).headline == first


@pytest.mark.parametrize(
    ("of", "to", "words", "servers", "sentence"),
    [
        (COBOL, ADA, MORE, (), "It is 50% less."),
        (COBOL, ADA, MORE, ("ada",), "It is at least 49% less."),
        (COBOL, ADA, MORE, ("cobol",), "It is at most 51% less."),
        (
            COBOL,
            ADA_WITH_TEN,
            "",
            (),
            "It is between 0.99× and 1.02×. Inconclusive, because the interval of the "
            f"ratio includes 1: {RECEIVED}",
        ),
        (
            COBOL,
            ADA_WITH_TEN,
            MORE,
            (),
            "It is between 1% less and 2% more. Inconclusive, because the interval of "
            f"the ratio includes 1: {RECEIVED}",
        ),
        (
            ADA,
            COBOL,
            "",
            ("ada", "cobol"),
            f"It is about 2.00×. Inconclusive, because both values are bounds: "
            f"{RECEIVED}",
        ),
    ],
)
def test_a_comparison_is_a_ratio_or_a_difference_and_may_be_a_bound(
    limited, of, to, words, servers, sentence
):
    assert answered(limited(*servers), of, to, words) == [sentence]


@pytest.mark.parametrize(
    ("server", "sentence"),
    [
        (
            "ada",
            "Ada sends at least 1.97× as much as Cobol, or at least 97% more: at least "
            "990 messages a second.",
        ),
        (
            "cobol",
            "Ada sends at most 2.03× as much as Cobol, or at most 103% more: 1,000 "
            "messages a second.",
        ),
    ],
)
def test_a_bound_is_written_as_one(limited, server, sentence):
    [found] = answers(limited(server))
    assert found.replace(THIN_SPACE, " ") == sentence


def test_one_repetition_has_no_interval(results_of):
    assert answered(results_of(attempts=5), ADA, COBOL) == [
        f"It is about 1.98×. Inconclusive, because one repetition has no interval: "
        f"{RECEIVED}"
    ]


def test_a_sentence_without_all_metrics_is_left_out(market, results_of):
    assert answered(market, ADA, KILLED) == []
    results = results_of(attempts=0)
    assert answers(results) == []
    first, *_ = headlines(results, [], conclusions(results))
    assert first == "No published conclusion is decided yet."


def test_a_run_without_a_publication_has_its_rankings_as_result(market):
    assert (summary(market).markdown, summary(market).picture) == ("", "")
    alone = summary(replace(market, publication=None))
    first = next(
        each
        for each in rankings(market)
        if any(standing.rank for standing in each.standings)
    )
    assert alone.picture == f"ranking-{first.point}"
    assert alone.markdown.startswith(f"| contestant | {first.point}, ")
