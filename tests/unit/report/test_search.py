"""Results of searches, from a made-up search."""

from dataclasses import replace
from math import inf

import pytest

from autostrada.experiment.matrix import Cell
from autostrada.report.search import Searched
from autostrada.stats.search import Search

YES, NO = True, False


@pytest.fixture
def searched():
    """A search that met the objective three times with 100 and never with 110."""
    return Searched(
        cell=Cell(server="ada-server", workload="ramp"),
        search=Search(parameter="connections", first=100, last=800, precision=0.1),
        tried={100: (YES, YES, YES), 110: (NO, NO, NO)},
    )


def test_it_is_read_from_its_trials(market):
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


def test_the_capacity_is_between_the_edges(searched):
    interval = searched.capacity.interval
    assert (interval.median, interval.low, interval.high) == (100, 100, 110)
    assert interval.confidence == 0.75
    assert searched.is_over
    assert searched.sentence == (
        "The objective was met with 100 connections, and not with 110. Confidence ≥ "
        "75%."
    )


def test_edges_with_too_few_agreeing_trials_are_uncertain(searched):
    found = replace(searched, tried={100: (YES, NO, YES), 110: (NO, YES, NO)})
    assert found.is_over
    assert found.capacity.interval.confidence == 0
    assert found.sentence.endswith(
        " Confidence: not established, because too few trials at the edges of a "
        "search agree."
    )


def test_without_a_failure_there_is_no_upper_edge(searched):
    found = replace(searched, tried={800: (YES, YES, YES)})
    assert found.capacity.interval.high == inf
    assert found.capacity.interval.confidence == 0.75
    assert found.sentence.startswith("The objective was met up to 800 connections. ")


def test_a_violation_at_the_first_value_means_no_capacity(searched):
    found = replace(searched, tried={100: (NO, NO, NO)})
    assert (found.capacity.interval.median, found.capacity.interval.high) == (0, 100)
    assert found.sentence.startswith(
        "The objective was not met even with 100 connections. "
    )


def test_before_the_first_trial_nothing_is_known(searched):
    found = replace(searched, tried={})
    assert found.capacity is None
    assert found.sentence == "Not tested yet."


def test_a_value_has_the_name_of_its_point(searched):
    assert searched.at(150).workload == "ramp connections=150"
