"""Sentences that answer the question of an experiment."""

from dataclasses import replace

import pytest
from tests.unit.report.market import DEFINITION, RUN

from autostrada.report.answers import answers
from autostrada.report.claims import conclusions
from autostrada.report.headlines import headlines, summary
from autostrada.report.number import THIN_SPACE
from autostrada.report.ranking import rankings
from autostrada.stats.verdict import Bottleneck

ADA = '{ server = "ada-server", workload = "json processes=1 stocks=1" }'
ADA_WITH_TEN = '{ server = "ada-server", workload = "json processes=1 stocks=10" }'
COBOL = '{ server = "cobol-server", workload = "json processes=1 stocks=1" }'
WITHOUT_ANSWER = DEFINITION[: DEFINITION.index("[[answer]]")]


def answer(of, to, words=""):
    return f"""
[[answer]]
text = "It is {{it}}."

[answer.metrics.it]
metric = "received_per_client_per_s"
of = {of}
to = {to}
{words}
"""


MORE = 'words = ["more", "less"]'


@pytest.fixture
def answered(results_of):
    """Return a function: the answers of a market whose definition has this one."""

    def answered(text, **changes):
        run = replace(RUN, definition=WITHOUT_ANSWER + text, **changes)
        found = answers(results_of(run=run))
        return [each.replace(THIN_SPACE, " ") for each in found]

    return answered


def limited_by_engine(results, *cells):
    """Return results in which the load generator is the bottleneck of some cells."""
    outcomes = dict(results.outcomes)
    for cell in cells:
        outcome = outcomes[cell]
        verdict = replace(outcome.verdict, bottleneck=Bottleneck.LOAD_GENERATOR)
        outcomes[cell] = replace(outcome, verdict=verdict)
    return replace(results, outcomes=outcomes)


def test_the_places_have_ratio_difference_and_value(market):
    [sentence] = answers(market)
    assert sentence.replace(THIN_SPACE, " ") == (
        "Ada sends 2.00× as much as Cobol, or 100% more: 1,000 messages a second."
    )


def test_a_report_begins_with_the_answer(market):
    first, second = headlines(market, rankings(market), conclusions(market))
    assert first == answers(market)[0]
    assert second.startswith("Of 6 published conclusions")
    assert summary(market).headline == first


def test_a_smaller_metric_has_the_other_word(answered):
    assert answered(answer(COBOL, ADA, MORE)) == ["It is 50% less."]


def test_an_interval_that_includes_1_is_inconclusive(answered):
    assert answered(answer(COBOL, ADA_WITH_TEN)) == [
        "It is between 0.99× and 1.02×. Inconclusive, because the interval of the "
        "ratio includes 1: received per second by each client."
    ]
    [sentence] = answered(answer(COBOL, ADA_WITH_TEN, MORE))
    assert sentence.startswith(
        "It is between 1% less and 2% more. Inconclusive, because"
    )


def test_a_bound_is_written_as_one(market, cell):
    fast, slow = cell("ada", 1, 1), cell("cobol", 1, 1)
    [sentence] = answers(limited_by_engine(market, fast))
    assert sentence.replace(THIN_SPACE, " ") == (
        "Ada sends at least 1.97× as much as Cobol, or at least 97% more: at least 990 "
        "messages a second."
    )
    [sentence] = answers(limited_by_engine(market, slow))
    assert sentence.replace(THIN_SPACE, " ") == (
        "Ada sends at most 2.03× as much as Cobol, or at most 103% more: 1,000 "
        "messages a second."
    )


def test_the_difference_of_a_bound_below_1_is_a_bound_in_the_other_direction(
    results_of, cell
):
    run = replace(RUN, definition=WITHOUT_ANSWER + answer(COBOL, ADA, MORE))
    results = results_of(run=run)
    [sentence] = answers(limited_by_engine(results, cell("ada", 1, 1)))
    assert sentence == "It is at least 49% less."
    [sentence] = answers(limited_by_engine(results, cell("cobol", 1, 1)))
    assert sentence == "It is at most 51% less."


def test_the_ratio_of_two_bounds_is_inconclusive(results_of, cell):
    run = replace(RUN, definition=WITHOUT_ANSWER + answer(ADA, COBOL))
    results = results_of(run=run)
    cells = cell("ada", 1, 1), cell("cobol", 1, 1)
    assert answers(limited_by_engine(results, *cells)) == [
        "It is about 2.00×. Inconclusive, because both values are bounds: received "
        "per second by each client."
    ]


def test_one_repetition_has_no_interval(results_of):
    run = replace(RUN, definition=WITHOUT_ANSWER + answer(ADA, COBOL))
    assert answers(results_of(run=run, attempts=7)) == [
        "It is about 1.98×. Inconclusive, because one repetition has no interval: "
        "received per second by each client."
    ]


def test_a_sentence_without_all_metrics_is_left_out(answered, results_of):
    missing = COBOL.replace("processes=1 stocks=1", "processes=2 stocks=10")
    assert answered(answer(ADA, missing)) == []
    results = results_of(attempts=1)
    assert answers(results) == []
    assert (
        headlines(results, [], conclusions(results))[0]
        == "No published conclusion is decided yet."
    )


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
