"""Which rounds may decide a claim, and how long they take."""

from types import SimpleNamespace

import pytest

from autostrada.experiment.matrix import Cell
from autostrada.experiment.publication import ClaimRequirement
from autostrada.report import rounds
from autostrada.report.conclusion import Conclusion, EvaluatedRequirement
from autostrada.report.next_rounds import next_rounds, time_left
from autostrada.report.rounds import FIRST_LOOK
from autostrada.stats.claim import Finding
from autostrada.stats.sequential import NO_OUTLOOK, Outlook

A, B, C = (Cell(client=name, workload="batched") for name in "abc")


def shown(*cells, finding=Finding.INCONCLUSIVE, **outlook):
    """Return a comparison; ``outlook`` differs from an even chance after one round."""
    usual = {"confirming": 0.5, "contradicting": 0.25}
    usual |= {"next_samples": 1, "needed_samples": 3}
    return part(cells, finding, Outlook(**usual | outlook))


def part(cells, finding, outlook, *, rounds_so_far=3):
    of, *to = cells
    required = ClaimRequirement(
        metric="received_per_s",
        of=of,
        to=to[0] if to else None,
        at_least=1,
        at_most=None,
    )
    value = 0 if finding is Finding.CONTRADICTED else 2
    test = rounds.RequirementTest(
        finding=finding,
        value=value,
        low=0,
        high=2,
        rounds=rounds_so_far,
        outlook=outlook,
    )
    is_tested = finding is not Finding.NOT_TESTED
    return EvaluatedRequirement(required=required, test=test if is_tested else None)


def claim(*parts, finding=Finding.INCONCLUSIVE, **settings):
    return Conclusion(
        text="", finding=finding, parts=parts, **{"reason": ""} | settings
    )


CLOSED = part((A,), Finding.INCONCLUSIVE, NO_OUTLOOK, rounds_so_far=0)
"""A comparison that no further round decides, such as that of a lower bound."""


def chances(judged):
    return {each.cells: each.chance for each in next_rounds(judged)}


def test_a_claim_is_confirmed_by_all_undecided_parts_and_contradicted_by_one():
    confirmed = shown(B, C, finding=Finding.CONFIRMED)
    judged = claim(shown(A, B), shown(A, C, confirming=0.1), confirmed)
    assert chances(judged) == {(A, B, C): 0.05, (A, B): 0.25, (A, C): 0.25}


def test_the_rounds_are_those_until_the_next_look_of_all_parts():
    judged = claim(shown(A, B), shown(A, C, next_samples=2))
    assert [each.rounds for each in next_rounds(judged)] == [2, 1, 2]


def test_a_claim_with_a_reason_cannot_be_contradicted():
    judged = claim(shown(A, B), reason="It is an opinion.", is_contradictable=False)
    assert chances(judged) == {(A, B): 0.5}


@pytest.mark.parametrize(
    "judged",
    [
        claim(shown(A, finding=Finding.CONFIRMED), finding=Finding.CONFIRMED),
        claim(CLOSED),
        claim(shown(A), shown(B, finding=Finding.NOT_TESTED)),
        claim(shown(A), unmet=("The bottleneck is another.",)),
    ],
)
def test_no_round_decides_what_is_decided_or_cannot_be(judged):
    assert not chances(judged)
    assert time_left(judged, RESULTS) == ""


RESULTS = SimpleNamespace(
    trials=[
        {"server": each.server, "client": each.client, "workload": "batched"}
        | {"taken_ns": seconds * 1_000_000_000}
        for each, seconds in ((A, 20), (A, 40), (B, 50))
    ]
)


def test_the_time_that_is_left_is_that_of_the_rounds_that_are_expected():
    assert time_left(claim(shown(A, B)), RESULTS) == (
        "Another 4 minutes may decide it."
    )
    too_few = part((A,), Finding.INCONCLUSIVE, FIRST_LOOK, rounds_so_far=0)
    assert time_left(claim(shown(A, B), too_few), RESULTS) == ""


@pytest.mark.parametrize(
    "unexpected",
    [
        shown(A, needed_samples=None),
        part((A,), Finding.INCONCLUSIVE, NO_OUTLOOK, rounds_so_far=12),
    ],
    ids=["no look is expected to decide", "there is no further look"],
)
def test_where_no_round_is_expected_to_decide_the_sentence_says_so(unexpected):
    judged = claim(shown(A, B), unexpected)
    assert time_left(judged, RESULTS) == "More rounds are not expected to decide it."
