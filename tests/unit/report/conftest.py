"""The race and the market that are made by hand."""

import pytest
from tests.unit.report.market import write_market
from tests.unit.report.race import write_race
from tests.unit.report.records import read

from autostrada.experiment.matrix import Cell
from autostrada.report.results import read_results
from autostrada.store.reader import StoreReader


@pytest.fixture(scope="session")
def race_path(tmp_path_factory):
    """The path of the finished race; read-only."""
    return write_race(tmp_path_factory.mktemp("race") / "small.duckdb")


@pytest.fixture(scope="session")
def reader(race_path):
    with StoreReader.open(race_path) as reader:
        yield reader


@pytest.fixture(scope="session")
def rows_of():
    """Return a function: the rows of a chart's first mark with all these keys."""

    def rows(chart, *keys):
        return next(
            mark.rows
            for mark in chart.marks
            if mark.rows and {*keys} <= mark.rows[0].keys()
        )

    return rows


@pytest.fixture(scope="session")
def race(reader):
    """The results of the race."""
    return read_results(reader)


@pytest.fixture(scope="session")
def market_path(tmp_path_factory):
    """The path of the finished experiment; read-only."""
    return write_market(tmp_path_factory.mktemp("market") / "market.duckdb")


@pytest.fixture(scope="session")
def market(market_path):
    """The results of the experiment."""
    return read(market_path)


@pytest.fixture(scope="session")
def results_of(tmp_path_factory):
    """
    Return a function: results of a market with fewer trials or another definition.
    """

    def results(**changes):
        path = tmp_path_factory.mktemp("market") / "changed.duckdb"
        return read(write_market(path, **changes))

    return results


@pytest.fixture(scope="session")
def cell():
    """Return a function: the cell of the feed by server, processes and stocks."""

    def named(server, processes, stocks):
        workload = f"json processes={processes} stocks={stocks}"
        return Cell(server=f"{server}-server", workload=workload)

    return named


@pytest.fixture(scope="session")
def ada_cell(cell):
    """Return the cell of the fastest server."""
    return cell("ada", 1, 1)


@pytest.fixture(scope="session")
def sure(results_of):
    """The results of the market with enough repetitions for findings."""
    return results_of(repetitions=8)
