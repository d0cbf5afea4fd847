"""Verdicts on claims, and the sentences of their evidence."""

from dataclasses import replace

import pytest
from tests.unit.report.market import CLAIM, USUAL

from autostrada.report.claims import conclusions
from autostrada.report.headlines import claims_headline
from autostrada.report.number import THIN_SPACE
from autostrada.stats.claim import Finding
from autostrada.stats.verdict import Bottleneck


def test_each_claim_has_a_verdict(judged):
    assert [each.finding for each in judged] == [
        Finding.CONFIRMED,
        Finding.CONTRADICTED,
        Finding.INCONCLUSIVE,
        Finding.NOT_TESTED,
        Finding.CONFIRMED,
        Finding.NOT_TESTED,
    ]


def test_a_ratio_is_shown_with_both_metrics_and_the_requirement(judged):
    [shown] = judged[0].shown
    assert shown.sentence.replace(THIN_SPACE, " ") == (
        "Received per second by each client in json processes=1 stocks=1: 1,000 "
        "(990–1,010), ada-server; 500 (495–505), cobol-server: 1.99× (1.91–2.08). The "
        "claim requires at least 1.50×: it is met, after 3 rounds."
    )
    assert judged[1].shown[0].sentence.endswith("3.00×: it is not met, after 3 rounds.")


def test_the_decisive_one_of_several_comparisons_is_named(judge):
    further = (
        "at_least = 1\n[[claim.comparisons]]\n"
        'metric = "latency_ms_max"\n'
        'of = { server = "ada-server", workload = "json processes=1 stocks=1" }\n'
        "at_most = 2"
    )
    conclusion = judge(further, of="json processes=1 stocks=1")
    assert conclusion.tally == "Of 2 comparisons 1 is confirmed and 1 is contradicted."
    assert conclusion.decisive.sentence.startswith("Longest latency: 5")


@pytest.mark.parametrize(
    ("least", "finding"),
    [
        (400, Finding.CONFIRMED),
        (700, Finding.INCONCLUSIVE),
        (2000, Finding.CONTRADICTED),
    ],
)
def test_a_claim_with_two_ends_is_contradicted_only_where_it_is_easiest(
    judge, least, finding
):
    workload = "json processes=1 stocks=1"
    easiest = f'{{ server = "ada-server", workload = "{workload}" }}'
    more = f"at_least = {least}\neasiest = {easiest}"
    conclusion = judge(more, server="cobol-server", of=workload)
    assert conclusion.finding is finding
    shown = conclusion.shown[0].sentence
    assert ("only where it is easiest" in shown) is (finding is not Finding.CONFIRMED)


def test_each_conclusion_says_how_far_equal_trials_differed(judged):
    assert judged[0].repeated == (
        "Between rounds, a cell differed from itself by up to 1.02×."
    )
    assert judged[0].repeated in judged[0].grounds
    assert judged[5].repeated == ""


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
            "sides of the limit, after 8 rounds."
        )
    )


def test_a_failed_cell_is_inconclusive_and_has_a_reason(judged):
    [shown] = judged[3].shown
    assert shown.sentence == (
        "Received per second by each client: cobol-server in json processes=2 "
        "stocks=10 has no such metric (out of memory: killed at 8 GiB after 41 s)."
    )


@pytest.mark.parametrize("attempts", [10, None])
def test_a_trial_ended_for_its_memory_shows_growth(judge, attempts):
    conclusion = judge(
        "at_least = 7e9",
        metric="server_memory_bytes_third_3",
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
        "metric": "server_memory_bytes_max",
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


def test_the_headline_counts_verdicts_and_names_a_contradiction(judged, sure):
    assert claims_headline(judged, sure) == (
        "Of 6 published conclusions 2 are confirmed and 1 is contradicted. "
        "Contradicted: Ada sends three times as much."
    )
    assert (
        claims_headline(judged[:1], sure) == "Of 1 published conclusion 1 is confirmed."
    )
    undecided = claims_headline(judged[2:3], sure)
    assert undecided == "No published conclusion is decided yet."


def test_without_claims_the_headline_describes_the_measurement(market, results_of):
    assert claims_headline([], market) == (
        "11 of 16 cells have metrics, and in 1 something broke."
    )
    assert claims_headline([], results_of(attempts=2)) == "1 of 16 cells has metrics."


@pytest.mark.parametrize(
    ("server", "claim", "finding"),
    [
        ("ada", 0, Finding.CONFIRMED),  # at least 1.97×: at least 1.5×
        ("ada", 1, Finding.INCONCLUSIVE),  # at least 1.97×: 3× is possible
        ("cobol", 0, Finding.INCONCLUSIVE),  # at most 2.03×: less than 1.5× is possible
        ("cobol", 1, Finding.CONTRADICTED),  # at most 2.03×: not 3×
    ],
)
def test_a_bound_proves_only_its_own_direction(classify_cell, server, claim, finding):
    conclusion = classify_cell(
        server, claim=claim, bottleneck=Bottleneck.LOAD_GENERATOR
    )
    assert conclusion.finding is finding
    assert conclusion.shown[0].sentence.endswith(
        "The load generator was the bottleneck: the contestants may do more "
        f"({server}-server)."
    )
    assert f"≥ {'1' if server == 'ada' else '500'}" in conclusion.shown[0].sentence


@pytest.mark.parametrize(
    ("bound", "finding"),
    [
        ("at_least = 900", Finding.CONFIRMED),
        ("at_most = 900", Finding.CONTRADICTED),
        ("at_most = 1100", Finding.INCONCLUSIVE),
        ("at_least = 1100", Finding.INCONCLUSIVE),
    ],
)
def test_a_single_bound_proves_only_its_own_direction(measured, cell, bound, finding):
    of = "json processes=1 stocks=1"
    results = measured(CLAIM.format(**USUAL, of=of, more=bound))
    outcome = results.outcomes[cell("ada", 1, 1)]
    verdict = replace(outcome.verdict, bottleneck=Bottleneck.LOAD_GENERATOR)
    outcomes = {**results.outcomes, outcome.cell: replace(outcome, verdict=verdict)}
    [conclusion] = conclusions(replace(results, outcomes=outcomes))
    assert conclusion.finding is finding


def test_a_disturbed_machine_is_a_caution(classify_cell):
    conclusion = classify_cell(bottleneck=Bottleneck.MACHINE)
    assert conclusion.finding is Finding.CONFIRMED
    assert "The machine was disturbed (ada-server)." in conclusion.shown[0].sentence


def test_other_bottlenecks_need_no_caution(classify_cell):
    conclusion = classify_cell(bottleneck=Bottleneck.CLIENT_CPU)
    assert conclusion.finding is Finding.CONFIRMED
    assert conclusion.shown[0].sentence.endswith("it is met, after 3 rounds.")


CONDITION = """
[[claim.conditions]]
text = "{text}"
{condition}
"""
CLIENT_HAS_ROOM = """
metric = "client_cpu_utilization"
at_most = {limit}
"""
SAME_RATE = """
metric = "received_per_client_per_s"
to = {{ server = "{to}-server", workload = "json processes=1 stocks=1" }}
at_least = 0.95
at_most = 1.05
"""


@pytest.mark.parametrize(
    ("text", "condition", "finding", "unmet"),
    [
        (
            "the client is the bottleneck",
            'bottlenecks = ["client CPU", "unclear"]',
            Finding.INCONCLUSIVE,
            "The claim is about a setup in which the client is the bottleneck, but the "
            "bottleneck of ada-server in json processes=1 stocks=1 was: server CPU.",
        ),
        (
            "the server is the bottleneck",
            'bottlenecks = ["server CPU"]',
            Finding.CONFIRMED,
            "",
        ),
        (
            "clients have a core each",
            CLIENT_HAS_ROOM.format(limit=0.2),
            Finding.INCONCLUSIVE,
            "The claim is about a setup in which clients have a core each (CPU of each "
            "client process: at most 20%), but in ada-server in json processes=1 "
            "stocks=1 this was 25% (25–25%).",
        ),
        (
            "clients have a core each",
            CLIENT_HAS_ROOM.format(limit=0.7),
            Finding.CONFIRMED,
            "",
        ),
        (
            "servers are alike",
            SAME_RATE.format(to="cobol"),
            Finding.INCONCLUSIVE,
            "The claim is about a setup in which servers are alike (received per "
            "second by each client: at least 0.95× and at most 1.05×), but in "
            "ada-server in json processes=1 stocks=1, compared with cobol-server in "
            "json processes=1 stocks=1, this was 1.99× (1.91–2.08).",
        ),
        (
            "a server is like itself",
            SAME_RATE.format(to="ada"),
            Finding.CONFIRMED,
            "",
        ),
        (
            "memory is small",
            'metric = "achieved_share"\nat_least = 1',
            Finding.INCONCLUSIVE,
            "The claim is about a setup in which memory is small, and this metric "
            "is not known of ada-server in json processes=1 stocks=1: achieved share "
            "of the offered.",
        ),
        (
            "there is a cell",
            'of = { server = "dart-server", workload = "json processes=1 stocks=1" }'
            '\nbottlenecks = ["server CPU"]',
            Finding.INCONCLUSIVE,
            "The claim is about a setup in which there is a cell, and dart-server in "
            "json processes=1 stocks=1 was not measured.",
        ),
    ],
)
def test_a_claim_whose_condition_is_not_met_is_inconclusive(
    judge, text, condition, finding, unmet
):
    conclusion = judge(
        "at_least = 1" + CONDITION.format(text=text, condition=condition),
        of="json processes=1 stocks=1",
    )
    assert conclusion.finding is finding
    sentences = tuple(each.sentence for each in conclusion.unmet)
    written = [each.replace(THIN_SPACE, " ") for each in sentences]
    assert written == ([unmet] if unmet else [])
    assert conclusion.grounds[: len(sentences)] == sentences


def test_conditions_do_not_matter_to_a_claim_that_was_not_tested(judge):
    condition = CONDITION.format(text="x", condition='bottlenecks = ["client CPU"]')
    conclusion = judge(
        f"at_least = 1{condition}", of="json processes=2 stocks=10", attempts=1
    )
    assert (conclusion.finding, conclusion.unmet) == (Finding.NOT_TESTED, ())


@pytest.mark.parametrize(
    ("metric", "is_marked"),
    [("latency_ms_max", True), ("received_per_client_per_s", False)],
)
def test_latencies_are_marked_if_the_engine_was_late(measured, cell, metric, is_marked):
    about = {
        "metric": metric,
        "of": "json processes=1 stocks=1",
        "more": "at_least = 1",
    }
    results = measured(CLAIM.format(**USUAL | about))
    outcome = results.outcomes[cell("ada", 1, 1)]
    late = replace(outcome, verdict=replace(outcome.verdict, is_late=True))
    outcomes = {**results.outcomes, outcome.cell: late}
    [conclusion] = conclusions(replace(results, outcomes=outcomes))
    text = "The load generator sent late, so the contestants may be faster (ada-server "
    assert (text in conclusion.shown[0].sentence) is is_marked


def test_two_rounds_are_too_few_for_a_finding(judge):
    of = "json processes=1 stocks=1"
    conclusion = judge("at_least = 1", of=of, repetitions=2)
    assert conclusion.finding is Finding.INCONCLUSIVE
    assert conclusion.shown[0].sentence.endswith(
        "and a finding needs at least 3 rounds, of which 2 were measured."
    )


def test_only_rounds_of_both_cells_are_compared(measured, cell):
    text = CLAIM.format(
        **USUAL,
        of="json processes=1 stocks=1",
        more='to = { server = "cobol-server", workload = "json processes=1 stocks=1" }'
        "\nat_least = 1.5",
    )
    results = measured(text)
    outcome = results.outcomes[cell("cobol", 1, 1)]
    name = USUAL["metric"]
    later = replace(outcome.metrics[name], rounds=(6, 7, 8, 9, 10, 11, 12, 13))
    changed = replace(outcome, metrics={**outcome.metrics, name: later})
    outcomes = {**results.outcomes, outcome.cell: changed}
    [conclusion] = conclusions(replace(results, outcomes=outcomes))
    assert conclusion.shown[0].sentence.endswith("of which 2 were measured.")


def test_an_unmeasured_cell_is_inconclusive(judge):
    conclusion = judge("at_least = 1", of="json processes=2 stocks=10", attempts=1)
    assert conclusion.finding is Finding.NOT_TESTED
    assert "has no such metric (not measured yet)" in conclusion.shown[0].sentence


def test_a_missing_metric_is_inconclusive(judge):
    conclusion = judge(
        "at_least = 1", metric="achieved_share", of="json processes=1 stocks=1"
    )
    assert "has no such metric (not known for this cell" in conclusion.shown[0].sentence


def test_a_ratio_to_zero_is_inconclusive(judge):
    conclusion = judge(
        'to = { server = "ada-server", workload = "json processes=1 stocks=10" }\n'
        "at_least = 1",
        metric="disconnected_clients",
        of="json processes=1 stocks=1",
    )
    assert conclusion.finding is Finding.INCONCLUSIVE
    assert conclusion.shown[0].sentence.endswith("is 0, so there is no ratio.")
    assert "inf" not in conclusion.shown[0].sentence


def test_a_single_metric_is_compared_with_bounds_in_its_unit(judge):
    conclusion = judge(
        "at_most = 2", metric="latency_ms_max", of="json processes=1 stocks=1"
    )
    assert conclusion.finding is Finding.CONTRADICTED
    assert conclusion.shown[0].sentence.replace(THIN_SPACE, " ") == (
        "Longest latency: 5 ms (5–5 ms), ada-server in json processes=1 stocks=1. "
        "The claim requires at most 2 ms: it is not met, after 3 rounds."
    )


@pytest.mark.parametrize("bound", ["at_least = 1e9", "at_most = 1e9"])
@pytest.mark.parametrize("is_changed", [False, True])
def test_a_cell_with_other_parameters_decides_nothing(measured, bound, is_changed):
    point = "json processes=1 stocks=1"
    results = measured(CLAIM.format(**USUAL, of=point, more=bound))
    changed = frozenset({point if is_changed else "json processes=1 stocks=10"})
    [conclusion] = conclusions(replace(results, changed_points=changed))
    decided = {Finding.CONFIRMED, Finding.CONTRADICTED}
    assert (conclusion.finding in decided) is not is_changed
    assert ("other parameters" in conclusion.shown[0].sentence) is is_changed
