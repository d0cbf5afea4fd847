"""The result of a search with several processes counts all their connections."""

from dataclasses import replace

from autostrada.experiment.matrix import Cell
from autostrada.report.search import Searched
from autostrada.stats.search import Search, Step

FOUND = Searched(
    cell=Cell(server="ada-server", workload="steady"),
    search=Search(parameter="connections", first=100, last=800, precision=0.1),
    tried={Step(value=100): (True,) * 6, Step(value=110): (False,) * 6},
    processes=8,
)


def test_the_capacity_is_that_of_all_processes():
    interval = FOUND.capacity.interval
    assert (interval.median, interval.low, interval.high) == (800, 800, 880)
    assert FOUND.capacity.values == (800,)


def test_the_sentence_is_about_all_processes():
    assert FOUND.sentence.startswith(
        "The objective was met with 800 connections, and not with 880. 8 client "
        "processes share "
        "them evenly. "
    )
    reasons = {Step(value=110): "3 messages arrived at once", Step(value=120): "more"}
    failed = replace(FOUND, reasons=reasons)
    assert "evenly. Failed at 880: 3 messages arrived at once. Conf" in failed.sentence


def test_the_name_of_a_point_is_per_process():
    assert FOUND.total(100) == 800
    assert FOUND.at(Step(value=100)).workload == "steady connections=100"
