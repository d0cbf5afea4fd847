"""Two runs compared by the command line: output, exit status, a missing store."""

import pytest
from command_line import autostrada
from tests.unit.report.market import write_market

GREW = "latency_ms_p99 > +5%"
IS_SMALL = "latency_ms_p99 < 1000"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Return a store with two equal runs."""
    path = tmp_path_factory.mktemp("compare") / "market.duckdb"
    write_market(write_market(path))
    return path


@pytest.mark.parametrize(
    ("conditions", "status"), [([], 0), ([GREW], 0), ([GREW, IS_SMALL], 99)]
)
def test_the_exit_status_tells_whether_a_condition_is_met(store, conditions, status):
    options = [word for each in conditions for word in ("--fail-if", each)]
    compared = autostrada("compare", "1", "2", *options, "--store", store, COLUMNS="80")
    assert (compared.returncode, compared.stderr) == (status, "")
    assert max(map(len, compared.stdout.splitlines())) <= 80
    assert all(each in compared.stdout for each in conditions)
    assert "ada-server · 5 repetitions each" in compared.stdout


def test_a_missing_store_is_reported_in_one_line(tmp_path):
    store = tmp_path / "none.duckdb"
    refused = autostrada("archive", "--store", store)
    assert refused.returncode == 2
    assert refused.stderr == (
        f"autostrada: {store} does not exist; autostrada run creates it\n"
    )
