"""What a search has found of several processes: all of their connections together."""

from dataclasses import replace

from autostrada.experiment.matrix import Cell
from autostrada.report.search import Searched
from autostrada.stats.search import Search

FOUND = Searched(
    cell=Cell(server="ada-server", workload="steady"),
    search=Search(parameter="connections", first=100, last=800, precision=0.1),
    tried={100: (True, True, True), 110: (False, False, False)},
    processes=8,
)


def test_the_most_is_of_all_processes():
    interval = FOUND.most.interval
    assert (interval.median, interval.low, interval.high) == (800, 800, 880)
    assert FOUND.most.values == (800,)


def test_so_is_what_is_said_of_it():
    assert FOUND.sentence.startswith(
        "The objective was met with 800 connections, and not with 880. 8 client "
        "processes share "
        "them evenly. "
    )
    failed = replace(FOUND, reasons={110: "3 messages came at once", 120: "more"})
    assert "evenly. Failed at 880: 3 messages came at once. Conf" in failed.sentence


def test_a_value_is_of_each_in_the_name_of_its_point_alone():
    assert FOUND.of_all(100) == 800
    assert FOUND.at(100).workload == "steady connections=100"
