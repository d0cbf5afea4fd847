"""The market of ``market.py``, written once and read once."""

import pytest
from tests.unit.report.experiment.market import RUN, trials, write_market

from autostrada.experiment.matrix import Cell
from autostrada.report.experiment.results import read_results
from autostrada.store.reader import StoreReader


@pytest.fixture(scope="session")
def all_market_trials():
    """Every trial of the market, in its order."""
    return tuple(trials())


@pytest.fixture(scope="session")
def market_run():
    """The market's run."""
    return RUN


@pytest.fixture(scope="session")
def market_path(tmp_path_factory):
    """The finished experiment; not to be written to."""
    return write_market(tmp_path_factory.mktemp("market") / "market.duckdb")


@pytest.fixture(scope="session")
def market(market_path):
    """The results of the experiment."""
    with StoreReader.open(market_path) as reader:
        return read_results(reader)


@pytest.fixture(scope="session")
def results_of(tmp_path_factory):
    """Return the results of a market that is cut short or has another definition."""

    def results(**changes):
        path = tmp_path_factory.mktemp("market") / "changed.duckdb"
        with StoreReader.open(write_market(path, **changes)) as reader:
            return read_results(reader)

    return results


@pytest.fixture(scope="session")
def cell():
    """Return a cell of the feed by its server, processes and stocks."""

    def named(server, processes, stocks):
        workload = f"json processes={processes} stocks={stocks}"
        return Cell(server=f"{server}-server", workload=workload)

    return named


@pytest.fixture(scope="session")
def ada_cell(cell):
    """Return the cell of the fastest."""
    return cell("ada", 1, 1)
