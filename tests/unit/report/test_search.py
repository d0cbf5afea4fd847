"""What searches have found, of a search by hand."""

from dataclasses import replace
from math import inf

import pytest

from autostrada.experiment.matrix import Cell
from autostrada.report.search import Searched
from autostrada.stats.search import Search

YES, NO = True, False


@pytest.fixture
def searched():
    """All was well three times with 100 and never with 110."""
    return Searched(
        cell=Cell(server="ada-server", workload="ramp"),
        search=Search(parameter="connections", first=100, last=800, precision=0.1),
        tried={100: (YES, YES, YES), 110: (NO, NO, NO)},
    )


def test_it_is_read_from_the_trials_of_its_values(market):
    [found] = market.searches
    assert found.tried == {
        100: (YES,),
        150: (YES, YES, YES),
        200: (NO, NO, YES),
        400: (NO,),
    }
    assert found.reasons == {
        100: "",
        150: "",
        200: "200 were too many",
        400: "400 were too many",
    }
    assert not found.is_over
    assert found.sentence == (
        "The objective was met with 150 connections, and not with 200. Failed at 200: "
        "200 were too "
        "many. The search is not over."
    )


def test_the_most_lies_between_the_edges(searched):
    interval = searched.most.interval
    assert (interval.median, interval.low, interval.high) == (100, 100, 110)
    assert interval.confidence == 0.75
    assert searched.is_over
    assert searched.sentence == (
        "The objective was met with 100 connections, and not with 110. Confidence ≥ "
        "75%."
    )


def test_edges_at_which_too_few_trials_agree_are_not_sure(searched):
    found = replace(searched, tried={100: (YES, NO, YES), 110: (NO, YES, NO)})
    assert found.is_over
    assert found.most.interval.confidence == 0
    assert found.sentence.endswith(
        " Confidence: not established, because too few trials at the edges of a "
        "search agree."
    )


def test_without_a_failure_there_is_no_upper_edge(searched):
    found = replace(searched, tried={800: (YES, YES, YES)})
    assert found.most.interval.high == inf
    assert found.most.interval.confidence == 0.75
    assert found.sentence.startswith("The objective was met up to 800 connections. ")


def test_where_the_first_was_too_much_the_most_is_none(searched):
    found = replace(searched, tried={100: (NO, NO, NO)})
    assert (found.most.interval.median, found.most.interval.high) == (0, 100)
    assert found.sentence.startswith(
        "The objective was not met even with 100 connections. "
    )


def test_before_the_first_trial_nothing_is_known(searched):
    found = replace(searched, tried={})
    assert found.most is None
    assert found.sentence == "Not tested yet."


def test_a_value_has_the_name_of_its_point(searched):
    assert searched.at(150).workload == "ramp connections=150"
