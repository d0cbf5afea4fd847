"""Findings of claims, and the sentences of their evidence."""

from dataclasses import replace

import pytest

from autostrada.experiment.publication import Publication
from autostrada.report.claims import conclusions, errors_of
from autostrada.report.conclusion import LongerTrials
from autostrada.report.headlines import claims_headline
from autostrada.report.number import THIN_SPACE
from autostrada.report.samples import Sampled
from autostrada.stats.claim import Finding
from autostrada.stats.sequential import ERROR_MAX, Errors
from autostrada.stats.verdict import Bottleneck

RECEIVED = "received_per_client_per_s"
ADA, COBOL, DART, ADA_TEN, ADA_MOST, KILLED = (
    {"server": f"{server}-server", "workload": f"json processes={processes} stocks={n}"}
    for server, processes, n in (
        ("ada", 1, 1),
        ("cobol", 1, 1),
        ("dart", 1, 1),
        ("ada", 1, 10),
        ("ada", 2, 10),
        ("cobol", 2, 10),
    )
)


def compared(metric=RECEIVED, *, of=ADA, **limits):
    return {"metric": metric, "of": of, **limits}


def conclude(results, *comparisons, **settings):
    """Judge a claim of some comparisons, the only one of its publication."""
    claim = {"text": "So it is.", "comparisons": comparisons, **settings}
    publication = Publication.model_validate(
        {"title": "t", "origin": "o", "claim": [claim]}
    )
    [conclusion] = conclusions(replace(results, publication=publication))
    return conclusion


def only_if(text, **condition):
    return {"conditions": [{"text": text, **condition}]}


TWO = compared(at_most=1), compared(at_least=1)
ENDED = compared("server_memory_bytes_max", of=KILLED, to=ADA_MOST)
CONDITIONS = [
    only_if("the client limits", bottlenecks=["client CPU", "unclear"]),
    only_if("the server limits", bottlenecks=["server CPU"]),
    only_if("there is a cell", of=DART, bottlenecks=["server CPU"]),
]
CLAIMS = [
    ("both have to be met", TWO, {}),
    ("one of two is enough", TWO, {"either": True}),
    ("a bound in its unit", [compared("latency_ms_max", at_most=2)], {}),
    ("a limit of ours", [compared(at_least=1, basis="more than none")], {}),
    ("no such metric", [compared("achieved_share", at_least=1)], {}),
    ("nothing to 0", [compared("disconnected_clients", to=ADA_TEN, at_least=1)], {}),
    (
        "killed for its memory",
        [compared("server_memory_bytes_third_3", of=KILLED, at_least=7e9)],
        {},
    ),
    ("grows at least", [ENDED | {"at_least": 5}], {}),
    ("grows more", [ENDED | {"at_least": 9}], {}),
    ("grows less", [ENDED | {"at_most": 2}], {}),
    ("reason, met", [compared(at_least=1)], {"reason": "Why not."}),
    ("reason, not met", [compared(at_most=1)], {"reason": "Why not."}),
    (
        "reason, not met, contradictable",
        [compared(at_most=1)],
        {"reason": "Why not.", "contradictable": True},
    ),
    *(
        (condition["conditions"][0]["text"], [compared(at_least=1)], condition)
        for condition in CONDITIONS
    ),
]
LIMITED = {"bottleneck": Bottleneck.LOAD_GENERATOR}
RATIO = compared(to=COBOL)
VERDICTS = [
    ("ada", LIMITED, RATIO | {"at_least": 1.5}),
    ("ada", LIMITED, RATIO | {"at_least": 3}),
    ("cobol", LIMITED, RATIO | {"at_least": 1.5}),
    ("cobol", LIMITED, RATIO | {"at_least": 3}),
    ("ada", LIMITED, compared(at_least=900)),
    ("ada", LIMITED, compared(at_most=900)),
    ("ada", LIMITED, compared(at_least=1100)),
    ("ada", LIMITED, compared(at_most=1100)),
    ("ada", {"bottleneck": Bottleneck.MACHINE}, RATIO | {"at_least": 1.5}),
    ("ada", {"bottleneck": Bottleneck.CLIENT_CPU}, RATIO | {"at_least": 1.5}),
    ("ada", {"is_late": True}, compared(at_least=1)),
    ("ada", {"is_late": True}, compared("latency_ms_max", at_least=1)),
]


def written(name, conclusion):
    decisive = conclusion.decisive.sentence if conclusion.decisive else ""
    unmet = [each.sentence for each in conclusion.unmet]
    assert conclusion.grounds[: len(unmet)] == tuple(unmet)
    sentences = [*unmet, conclusion.reason, conclusion.tally, decisive]
    lines = [f"{name}: {conclusion.finding}", *filter(None, sentences)]
    return "\n  ".join(lines).replace(THIN_SPACE, " ")


def test_a_claim_has_a_finding_and_its_evidence(sure, snapshot):
    found = [
        written(name, conclude(sure, *comparisons, **settings))
        for name, comparisons, settings in CLAIMS
    ]
    snapshot("claims.txt", "\n".join(found) + "\n")


def test_a_bound_proves_only_its_own_direction_and_others_are_cautions(
    sure, cell, snapshot
):
    found = []
    for server, changes, comparison in VERDICTS:
        outcome = sure.outcomes[cell(server, 1, 1)]
        verdict = replace(outcome.verdict, **changes)
        outcomes = {**sure.outcomes, outcome.cell: replace(outcome, verdict=verdict)}
        conclusion = conclude(replace(sure, outcomes=outcomes), comparison)
        [(name, value)] = changes.items()
        found.append(written(f"{server}, {name} = {value}", conclusion))
    snapshot("claims-of-bounds.txt", "\n".join(found) + "\n")


def test_the_error_of_what_one_comparison_shows_is_shared():
    assert errors_of(4, either=False) == Errors(contradicting=ERROR_MAX / 4)
    assert errors_of(4, either=True) == Errors(confirming=ERROR_MAX / 4)
    assert errors_of(1, either=False, claims=10) == Errors(
        confirming=ERROR_MAX / 10, contradicting=ERROR_MAX / 10
    )


def test_a_killed_trial_shows_growth_although_others_are_missing(results_of):
    begun = results_of(attempts=8)
    growing = compared("server_memory_bytes_third_3", of=KILLED, at_least=7e9)
    assert conclude(begun, growing).finding is Finding.CONFIRMED


def test_the_headline_counts_verdicts_and_names_a_contradiction(sure):
    judged = conclusions(sure)
    assert claims_headline(judged, sure) == (
        "Of 6 published conclusions 2 are confirmed and 1 is contradicted. "
        "Contradicted: 2."
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
    assert claims_headline([], results_of(attempts=1)) == "1 of 16 cells has metrics."


def test_a_claim_about_an_unmeasured_cell_is_not_tested(results_of):
    begun = results_of(attempts=0)
    condition = only_if("x", bottlenecks=["client CPU"])
    conclusion = conclude(begun, compared(of=KILLED, at_least=1), **condition)
    assert (conclusion.finding, conclusion.unmet) == (Finding.NOT_TESTED, ())
    assert "has no such metric (not measured yet)" in conclusion.parts[0].sentence


def test_two_rounds_are_too_few_for_a_finding(results_of):
    conclusion = conclude(results_of(repetitions=2), compared(at_least=1))
    assert conclusion.finding is Finding.INCONCLUSIVE
    assert conclusion.parts[0].sentence.endswith(
        "and a finding needs at least 3 rounds, of which 2 were measured."
    )


def test_only_rounds_of_both_cells_are_compared(sure, cell):
    outcome = sure.outcomes[cell("cobol", 1, 1)]
    later = replace(outcome.metrics[RECEIVED], rounds=(6, 7, 8, 9, 10, 11, 12, 13))
    changed = replace(outcome, metrics={**outcome.metrics, RECEIVED: later})
    outcomes = {**sure.outcomes, outcome.cell: changed}
    conclusion = conclude(replace(sure, outcomes=outcomes), RATIO | {"at_least": 1.5})
    assert conclusion.parts[0].sentence.endswith("of which 2 were measured.")


@pytest.mark.parametrize(
    ("limits", "factor", "lasts"),
    [
        ({"at_least": 900}, 0.95, True),
        ({"at_least": 900}, 0.5, False),
        ({"at_most": 900}, 1.5, True),
        ({"at_most": 900}, 0.5, False),
    ],
)
def test_a_finding_holds_in_longer_trials(sure, cell, limits, factor, lasts):
    sampled = sure.outcomes[cell("ada", 1, 1)].metrics[RECEIVED]
    values = tuple(factor * value for value in sampled.values)
    results = with_longer(sure, cell, sampled, replace(sampled, values=values))
    conclusion = conclude(results, compared(**limits))
    assert (conclusion.finding is not Finding.INCONCLUSIVE) is lasts
    assert ("nothing is decided" in conclusion.parts[0].sentence) is not lasts


def with_longer(results, cell, shorter, longer):
    """Return results with received messages of a cell and of its longer trials."""
    short = results.outcomes[cell("ada", 1, 1)]
    workload = short.cell.workload.replace("json", "json-long")
    outcomes = {
        each: replace(short, cell=each, metrics={**short.metrics, RECEIVED: sampled})
        for each, sampled in (
            (short.cell, shorter),
            (replace(short.cell, workload=workload), longer),
        )
    }
    points = {**results.points, workload: results.points[short.cell.workload]}
    return replace(results, outcomes={**results.outcomes, **outcomes}, points=points)


def test_longer_trials_are_compared_with_those_of_the_same_machine(sure, cell):
    sampled = sure.outcomes[cell("ada", 1, 1)].metrics[RECEIVED]
    *slow, last = sampled.values
    machines = ("slow",) * len(slow) + ("fast",)
    shorter = replace(sampled, values=(*slow, 4 * last), machines=machines)
    longer = Sampled(values=(2 * last,), rounds=(99,), machines=("fast",))
    results = with_longer(sure, cell, shorter, longer)
    checked = conclude(results, compared(at_least=1)).parts[0].cells[0]
    assert checked.longer.ratio == 0.5


def test_a_ratio_to_what_is_0_in_longer_trials_is_no_number(sure):
    conclusion = conclude(sure, compared(to=COBOL, at_least=1.5))
    evaluated = conclusion.parts[0]
    gone = LongerTrials(duration_s=20, instead_of_s=4, ratio=0.0)
    above, below = evaluated.cells
    checked = replace(evaluated, cells=(above, replace(below, longer=gone)))
    assert checked.lasts
    assert checked.finding is Finding.CONFIRMED


@pytest.mark.parametrize("bound", ["at_least", "at_most"])
@pytest.mark.parametrize("is_changed", [False, True])
def test_a_cell_with_other_parameters_decides_nothing(sure, bound, is_changed):
    changed = frozenset({(ADA if is_changed else ADA_TEN)["workload"]})
    results = replace(sure, changed_points=changed)
    conclusion = conclude(results, compared(**{bound: 1e9}))
    decided = {Finding.CONFIRMED, Finding.CONTRADICTED}
    assert (conclusion.finding in decided) is not is_changed
    assert ("other parameters" in conclusion.parts[0].sentence) is is_changed
