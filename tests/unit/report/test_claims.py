"""Verdicts on claims, and the sentences of their evidence."""

from dataclasses import replace

import pytest
from tests.unit.report.market import RUN

from autostrada.report.claims import conclusions, headline
from autostrada.report.number import THIN_SPACE
from autostrada.stats.claim import Finding
from autostrada.stats.verdict import Bottleneck

QUICK = "quick = { seconds = 1 }"
"""A key of the first workload that changes no cell."""

CLAIM = """
title = "t"
origin = "o"
[[claim]]
text = "So it is."
reason = "{reason}"
[[claim.comparisons]]
figure = "{figure}"
of = {{ server = "{server}", workload = "{of}" }}
{more}
"""

USUAL = {
    "figure": "received_per_client_per_s",
    "server": "ada-server",
    "reason": "",
}
"""Default fields of a claim."""


@pytest.fixture(scope="module")
def judged(market):
    return conclusions(market)


@pytest.fixture
def judge(results_of):
    """Return a function that judges one claim with one comparison."""

    def conclude(more, *, attempts=None, **changes):
        published = CLAIM.format(**USUAL | changes, more=more)
        run = replace(RUN, published=published)
        [conclusion] = conclusions(results_of(run=run, attempts=attempts))
        return conclusion

    return conclude


def test_each_claim_has_a_verdict(judged):
    assert [each.finding for each in judged] == [
        Finding.CONFIRMED,
        Finding.CONTRADICTED,
        Finding.INCONCLUSIVE,
        Finding.NOT_TESTED,
        Finding.CONFIRMED,
        Finding.NOT_TESTED,
    ]


def test_a_ratio_is_shown_with_both_figures_and_the_requirement(judged):
    [shown] = judged[0].shown
    assert shown.sentence.replace(THIN_SPACE, " ") == (
        "Received per second by each client in json processes=1 stocks=1: 1 000 "
        "(990–1 010), ada-server; 500 (495–505), cobol-server: 2.00× (1.97–2.03). The "
        "claim requires at least 1.50×: it is met."
    )
    assert judged[1].shown[0].sentence.endswith("at least 3.00×: it is not met.")


def test_the_decisive_one_of_several_comparisons_is_named(judge):
    further = (
        "at_least = 1\n[[claim.comparisons]]\n"
        'figure = "latency_ms_max"\n'
        'of = { server = "ada-server", workload = "json processes=1 stocks=1" }\n'
        "at_most = 2"
    )
    conclusion = judge(further, of="json processes=1 stocks=1")
    assert conclusion.tally == "Of 2 comparisons 1 is confirmed and 1 is contradicted."
    assert conclusion.decisive.sentence.startswith("Longest latency: 5")


def test_a_single_comparison_has_no_tally(judged):
    assert judged[0].tally == ""
    assert judged[0].decisive is judged[0].shown[0]
    assert judged[5].decisive is None


def test_an_interval_with_the_limit_inside_is_reported(judged):
    assert (
        judged[2]
        .shown[0]
        .sentence.endswith(
            "at least 2.00× and at most 4.00×: the interval includes values on both "
            "sides of the limit."
        )
    )


def test_a_failed_cell_is_inconclusive_and_has_a_reason(judged):
    [shown] = judged[3].shown
    assert shown.sentence == (
        "Received per second by each client: cobol-server in json processes=2 "
        "stocks=10 has no such figure (out of memory: killed at 8 GiB after 41 s)."
    )


@pytest.mark.parametrize("attempts", [10, None])
def test_a_trial_ended_for_its_memory_shows_growth(judge, attempts):
    conclusion = judge(
        "at_least = 7e9",
        figure="server_memory_bytes_third_3",
        of="json processes=2 stocks=10",
        server="cobol-server",
        attempts=attempts,
    )
    assert conclusion.finding is Finding.CONFIRMED
    assert conclusion.shown[0].sentence.replace(THIN_SPACE, " ") == (
        "Server, at the end: ≥ 8 GiB, cobol-server in json processes=2 "
        "stocks=10 (killed at 8 GiB after 41 s). The claim requires at least "
        "6.52 GiB: it is met."
    )


def test_a_ratio_with_such_a_trial_is_a_lower_bound(judge):
    to = 'to = { server = "ada-server", workload = "json processes=2 stocks=10" }\n'
    ended = {
        "figure": "server_memory_bytes_max",
        "of": "json processes=2 stocks=10",
        "server": "cobol-server",
    }
    grows = judge(f"{to}at_least = 5", **ended)
    assert grows.finding is Finding.CONFIRMED
    assert "ada-server: 8.00× (≥\u202f8.00)." in grows.shown[0].sentence
    assert judge(f"{to}at_least = 9", **ended).finding is Finding.INCONCLUSIVE
    assert judge(f"{to}at_most = 2", **ended).finding is Finding.CONTRADICTED


@pytest.mark.parametrize(
    ("bound", "holding", "reason"),
    [
        ("at_least = 1", Finding.CONFIRMED, ""),
        ("at_most = 1", Finding.INCONCLUSIVE, "Why not."),
    ],
)
def test_a_claim_with_a_reason_can_be_confirmed_but_not_contradicted(
    judge, bound, holding, reason
):
    conclusion = judge(bound, of="json processes=1 stocks=1", reason="Why not.")
    assert (conclusion.finding, conclusion.reason) == (holding, reason)


def test_a_claim_that_cannot_be_measured_has_a_reason(judged):
    assert (judged[5].shown, judged[5].reason) == ((), "Nobody can measure that.")


def test_the_headline_counts_verdicts_and_names_a_contradiction(judged, market):
    assert headline(judged, market) == (
        "Of 6 published conclusions 2 are confirmed, 1 is contradicted, 1 is "
        "inconclusive and 2 are not tested. "
        "Contradicted: Ada sends three times as much."
    )
    assert headline(judged[:1], market) == "Of 1 published conclusion 1 is confirmed."


def test_without_claims_the_headline_describes_the_measurement(market, results_of):
    assert headline([], market) == (
        "12 of 17 cells have figures, and in 1 something broke."
    )
    assert headline([], results_of(attempts=2)) == "1 of 13 cells has figures."


@pytest.mark.parametrize(
    ("bottleneck", "text"),
    [
        (
            Bottleneck.LOAD_GENERATOR,
            "The load generator was the bottleneck: the contestants may do more "
            "(ada-server).",
        ),
        (Bottleneck.MACHINE, "The machine was disturbed (ada-server)."),
        (Bottleneck.CLIENT_CPU, "it is met."),
    ],
)
def test_a_figure_that_the_engine_limits_is_marked(market, cell, bottleneck, text):
    outcome = market.outcomes[cell("ada", 1, 1)]
    limited = replace(outcome, verdict=replace(outcome.verdict, bottleneck=bottleneck))
    outcomes = {**market.outcomes, outcome.cell: limited}
    judged = conclusions(replace(market, outcomes=outcomes))
    [shown] = judged[0].shown
    assert text in shown.sentence
    assert shown.finding is Finding.CONFIRMED


@pytest.mark.parametrize(
    ("figure", "is_marked"),
    [("latency_ms_max", True), ("received_per_client_per_s", False)],
)
def test_latencies_are_marked_if_the_engine_was_late(
    results_of, cell, figure, is_marked
):
    about = {
        "figure": figure,
        "of": "json processes=1 stocks=1",
        "more": "at_least = 1",
    }
    published = CLAIM.format(**USUAL | about)
    results = results_of(run=replace(RUN, published=published))
    outcome = results.outcomes[cell("ada", 1, 1)]
    late = replace(outcome, verdict=replace(outcome.verdict, is_late=True))
    outcomes = {**results.outcomes, outcome.cell: late}
    [conclusion] = conclusions(replace(results, outcomes=outcomes))
    text = "The load generator sent late, so the contestants may be faster (ada-server "
    assert (text in conclusion.shown[0].sentence) is is_marked


def test_one_repetition_is_inconclusive(judge):
    conclusion = judge("at_least = 1", of="json processes=1 stocks=1", attempts=2)
    assert conclusion.finding is Finding.INCONCLUSIVE
    assert conclusion.shown[0].sentence.endswith("one repetition has no interval.")


def test_an_unmeasured_cell_is_inconclusive(judge):
    conclusion = judge("at_least = 1", of="json processes=2 stocks=10", attempts=1)
    assert conclusion.finding is Finding.NOT_TESTED
    assert "has no such figure (not measured yet)" in conclusion.shown[0].sentence


def test_a_missing_figure_is_inconclusive(judge):
    conclusion = judge(
        "at_least = 1", figure="achieved_share", of="json processes=1 stocks=1"
    )
    assert "has no such figure (not known for this cell" in conclusion.shown[0].sentence


def test_a_ratio_to_zero_is_inconclusive(judge):
    conclusion = judge(
        'to = { server = "ada-server", workload = "json processes=1 stocks=10" }\n'
        "at_least = 1",
        figure="disconnected_clients",
        of="json processes=1 stocks=1",
    )
    assert conclusion.finding is Finding.INCONCLUSIVE
    assert conclusion.shown[0].sentence.endswith("is 0, so there is no ratio.")


def test_a_single_figure_is_compared_with_bounds_in_its_unit(judge):
    conclusion = judge(
        "at_most = 2", figure="latency_ms_max", of="json processes=1 stocks=1"
    )
    assert conclusion.finding is Finding.CONTRADICTED
    assert conclusion.shown[0].sentence.replace(THIN_SPACE, " ") == (
        "Longest latency: 5 ms (5–5 ms), ada-server in json processes=1 stocks=1. "
        "The claim requires at most 2 ms: it is not met."
    )


@pytest.mark.parametrize(
    ("at_least", "holding"),
    [
        (100, Finding.CONFIRMED),
        (175, Finding.INCONCLUSIVE),
        (201, Finding.CONTRADICTED),
    ],
)
def test_the_result_of_a_search_is_between_its_edges(judge, at_least, holding):
    conclusion = judge(
        f"at_least = {at_least}", figure="capacity_connections", of="ramp"
    )
    assert conclusion.finding is holding


def test_a_search_with_uncertain_edges_is_inconclusive(judge):
    edges_again = 4  # trials, the last of all
    conclusion = judge(
        "at_least = 100",
        figure="capacity_connections",
        of="ramp",
        attempts=-edges_again,
    )
    assert conclusion.finding is Finding.INCONCLUSIVE
    assert conclusion.shown[0].sentence.endswith(
        "The claim requires at least 100, and too few trials at the edges of a search "
        "agree."
    )


@pytest.mark.parametrize(
    ("plan", "holding"),
    [("false", Finding.CONTRADICTED), ("true", Finding.INCONCLUSIVE)],
)
def test_a_smaller_trial_does_not_show_that_a_figure_is_too_low(
    results_of, plan, holding
):
    of = "json processes=1 stocks=1"
    more = "at_least = 1e9"
    published = CLAIM.format(**USUAL, of=of, more=more)
    definition = RUN.definition.replace("[[workload]]", "[[workload]]\n" + QUICK, 1)
    run = replace(
        RUN,
        published=published,
        definition=definition,
        plan=RUN.plan.replace('"is_quick": false', f'"is_quick": {plan}'),
    )
    [conclusion] = conclusions(results_of(run=run))
    assert conclusion.finding is holding
    assert ("other parameters" in conclusion.shown[0].sentence) == (plan == "true")


def test_a_run_without_changed_points_decides_all_its_claims(results_of):
    of = "json processes=1 stocks=1"
    published = CLAIM.format(**USUAL, of=of, more="at_least = 1e9")
    plan = RUN.plan.replace(
        '"is_quick": false',
        '"is_quick": false, "overrides": ["json.sweep.processes=[1]"]',
    )
    run = replace(RUN, published=published, plan=plan)
    [conclusion] = conclusions(results_of(run=run))
    assert conclusion.finding is Finding.CONTRADICTED


@pytest.mark.parametrize(
    ("figure", "holding"),
    [
        ("received_per_client_per_s", Finding.CONTRADICTED),
        ("server_memory_bytes_max", Finding.INCONCLUSIVE),
    ],
)
def test_a_smaller_trial_decides_ratios_of_figures_that_do_not_accumulate(
    results_of, figure, holding
):
    of = "json processes=1 stocks=1"
    more = f'to = {{ server = "ada-server", workload = "{of}" }}\nat_least = 50'
    published = CLAIM.format(**USUAL | {"figure": figure}, of=of, more=more)
    definition = RUN.definition.replace("[[workload]]", "[[workload]]\n" + QUICK, 1)
    plan = RUN.plan.replace('"is_quick": false', '"is_quick": true')
    run = replace(RUN, published=published, definition=definition, plan=plan)
    [conclusion] = conclusions(results_of(run=run))
    assert conclusion.finding is holding
