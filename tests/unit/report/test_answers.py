"""Sentences that answer the question of an experiment."""

from dataclasses import replace

import pytest
from tests.unit.report.market import DEFINITION

from autostrada.experiment.experiment import parse_experiment
from autostrada.report.answers import answers
from autostrada.report.headlines import headlines, summary
from autostrada.report.number import THIN_SPACE
from autostrada.report.parts import parts_of
from autostrada.report.ranking import rankings
from autostrada.stats.verdict import Bottleneck

ADA = '{ server = "ada-server", workload = "json processes=1 stocks=1" }'
ADA_WITH_TEN = '{ server = "ada-server", workload = "json processes=1 stocks=10" }'
COBOL = '{ server = "cobol-server", workload = "json processes=1 stocks=1" }'
KILLED = '{ server = "cobol-server", workload = "json processes=2 stocks=10" }'
MORE = 'words = ["more", "less"]'


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
    first, second = headlines(market, parts_of(market))
    assert first == answers(market)[0]
    assert second.startswith("Of 6 published conclusions")
    assert summary(market).headline == first


COMPARISONS = [
    (COBOL, ADA, MORE, ()),
    (COBOL, ADA, MORE, ("ada",)),
    (COBOL, ADA, MORE, ("cobol",)),
    (ADA, COBOL, "", ()),
    (COBOL, ADA_WITH_TEN, "", ()),
    (COBOL, ADA_WITH_TEN, MORE, ()),
    (ADA, COBOL, "", ("ada", "cobol")),
]
"""Cells and words of a comparison, and the servers that the engine limited."""


def test_a_comparison_is_a_ratio_or_a_difference_and_may_be_a_bound(
    limited, results_of, snapshot
):
    found = [
        *(
            answered(limited(*servers), of, to, words)
            for of, to, words, servers in COMPARISONS
        ),
        answered(results_of(attempts=5), ADA, COBOL),
        answers(limited("ada")),
        answers(limited("cobol")),
    ]
    lines = [sentence.replace(THIN_SPACE, " ") for [sentence] in found]
    snapshot("answers.txt", "\n".join(lines) + "\n")


def test_a_sentence_without_all_metrics_is_left_out(market, results_of):
    assert answered(market, ADA, KILLED) == []
    assert answers(results_of(attempts=0)) == []


def test_a_run_without_a_publication_has_its_rankings_as_result(market):
    assert (summary(market).markdown, summary(market).pictured) == ("", None)
    alone = summary(replace(market, publication=None))
    first = next(
        each
        for each in rankings(market)
        if any(standing.rank for standing in each.standings)
    )
    assert alone.pictured.point == first.point
    assert alone.markdown.startswith(f"| contestant | {first.point}, ")
