"""Results of searches, from a made-up search."""

from dataclasses import replace
from math import inf

import pytest

from autostrada.experiment.matrix import Cell
from autostrada.report.search import Searched
from autostrada.stats.search import Search, Step

YES, NO = True, False


def steps(tried):
    """Return outcomes by step for outcomes by value."""
    return {Step(value=value): trials for value, trials in tried.items()}


def held(value):
    return Step(value=value, is_confirmation=True)


@pytest.fixture
def searched():
    """A search that met the objective six times with 100 and never with 110."""
    return Searched(
        cell=Cell(server="ada-server", workload="ramp"),
        search=Search(parameter="connections", first=100, last=800, precision=0.1),
        tried=steps({100: (YES,) * 6, 110: (NO,) * 6}),
    )


def test_it_is_read_from_its_trials(market):
    [found] = market.searches
    assert found.tried == steps(
        {100: (YES,), 150: (YES, YES, YES), 200: (NO, NO, YES), 400: (NO,)}
    )
    assert found.reasons == steps(
        {100: "", 150: "", 200: "200 were too many", 400: "400 were too many"}
    )
    assert not found.is_over
    assert found.sentence == (
        "The objective was met with 150 connections, and not with 200. Failed at 200: "
        "200 were too "
        "many. The search is not over."
    )


def test_the_capacity_is_between_the_edges(searched):
    interval = searched.capacity.interval
    assert (interval.median, interval.low, interval.high) == (100, 100, 110)
    assert interval.confidence == 1 - 2 / 64
    assert searched.is_over
    assert searched.sentence == (
        "The objective was met with 100 connections, and not with 110. Confidence ≥ "
        "96.8%."
    )


def test_fewer_trials_do_not_establish_a_capacity(searched):
    found = replace(
        searched,
        search=searched.search.model_copy(update={"repetitions": 5}),
        tried=steps({100: (YES,) * 5, 110: (NO,) * 5}),
    )
    assert found.is_over
    assert found.sentence.endswith(" Confidence ≥ 93.7%: not established.")


def test_a_confirmed_capacity_has_the_confidence_of_its_longer_trials(searched):
    search = searched.search.model_copy(update={"confirm_s": 600})
    begun = replace(searched, search=search)
    assert not begun.is_over
    assert begun.capacity.interval.confidence == 0
    tried = {**begun.tried, held(100): (YES,) * 6}
    found = replace(begun, tried=dict(sorted(tried.items())))
    assert found.is_over
    assert found.capacity.interval.confidence == 1 - 2 / 64
    assert found.sentence == (
        "The objective was met with 100 connections, and not with 110. Trials at the "
        "capacity last 600 s. Confidence ≥ 96.8%."
    )
    assert [found.label(step) for step in found.tried] == [
        "100",
        "100 for 600 s",
        "110",
    ]
    assert found.at(held(100)).workload == "ramp connections=100 seconds=600"


def test_a_value_that_was_not_confirmed_has_the_reason_of_its_longer_trial(searched):
    search = searched.search.model_copy(update={"confirm_s": 600})
    found = replace(
        searched,
        search=search,
        tried={**steps({100: (YES,), 110: (NO,)}), held(100): (NO,)},
        reasons={**steps({100: "", 110: "too many"}), held(100): "late"},
    )
    assert (found.bracket.met, found.bracket.violated) == (None, 100)
    assert " Failed at 100: late." in found.sentence


def test_edges_with_too_few_agreeing_trials_are_uncertain(searched):
    found = replace(
        searched,
        search=searched.search.model_copy(update={"repetitions": 3}),
        tried=steps({100: (YES, NO, YES), 110: (NO, YES, NO)}),
    )
    assert found.is_over
    assert found.capacity.interval.confidence == 0
    assert found.sentence.endswith(
        " Confidence: not established, because too few trials at the edges of a "
        "search agree."
    )


def test_without_a_failure_there_is_no_upper_edge(searched):
    found = replace(searched, tried=steps({800: (YES,) * 6}))
    assert found.capacity.interval.high == inf
    assert found.capacity.interval.confidence == 1 - 2 / 64
    assert found.sentence.startswith("The objective was met up to 800 connections. ")


def test_a_violation_at_the_first_value_means_no_capacity(searched):
    found = replace(searched, tried=steps({100: (NO,) * 6}))
    assert (found.capacity.interval.median, found.capacity.interval.high) == (0, 100)
    assert found.sentence.startswith(
        "The objective was not met even with 100 connections. "
    )


def test_before_the_first_trial_nothing_is_known(searched):
    found = replace(searched, tried={})
    assert found.capacity is None
    assert found.sentence == "Not tested yet."


def test_a_value_has_the_name_of_its_point(searched):
    assert searched.at(Step(value=150)).workload == "ramp connections=150"
