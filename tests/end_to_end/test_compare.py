"""Two runs compared by the command line: output and exit status."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.report.market import write_market

COMMAND = Path(sys.executable).with_name("autostrada")
GREW = "latency_ms_p99 > +5%"
IS_SMALL = "latency_ms_p99 < 1000"


@pytest.fixture(scope="module")
def autostrada(tmp_path_factory):
    """Return a function that runs a command on a store with two equal runs."""
    store = tmp_path_factory.mktemp("compare") / "market.duckdb"
    write_market(write_market(store))

    def run(command, *arguments):
        return subprocess.run(
            [str(COMMAND), command, *arguments, "--store", str(store)],
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
            env=os.environ | {"COLUMNS": "80"},
        )

    return run


@pytest.mark.parametrize(
    ("conditions", "status"), [([], 0), ([GREW], 0), ([GREW, IS_SMALL], 1)]
)
def test_the_exit_status_tells_whether_a_condition_is_met(
    autostrada, conditions, status
):
    options = [word for each in conditions for word in ("--fail-if", each)]
    compared = autostrada("compare", "1", "2", *options)
    assert (compared.returncode, compared.stderr) == (status, "")
    assert max(map(len, compared.stdout.splitlines())) <= 80
    assert all(each in compared.stdout for each in conditions)
    assert "ada-server · 5 repetitions each" in compared.stdout


def test_markdown_is_printed_on_request(autostrada):
    compared = autostrada("compare", "1", "2", "--markdown")
    assert compared.returncode == 0, compared.stderr
    assert compared.stdout.startswith("**")


def test_an_impossible_comparison_is_refused_in_one_line(autostrada):
    refused = autostrada("compare", "1", "1")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "autostrada: 1 and 1 are the same: name two\n"
