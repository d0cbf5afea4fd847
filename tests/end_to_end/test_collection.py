"""The index in a real browser, and commands about all experiments."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.report.market import write_market

from autostrada.report.site import write_index

COMMAND = Path(sys.executable).with_name("autostrada")
LIMIT_S = 600


@pytest.fixture(scope="module")
def page_url(tmp_path_factory):
    store = write_market(tmp_path_factory.mktemp("index") / "market.duckdb")
    return write_index(store).as_uri()


@pytest.mark.parametrize("width", [320, 375, 1280])
def test_nothing_is_wider_than_the_screen(opened, width):
    page = opened(width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def run(*arguments):
    return subprocess.run(
        [str(COMMAND), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def test_a_missing_store_is_reported_in_one_line(tmp_path):
    refused = run("archive", "--store", tmp_path / "none.duckdb")
    assert refused.returncode == 2
    assert refused.stderr == (
        f"autostrada: {tmp_path / 'none.duckdb'} does not exist; autostrada run "
        f"creates it\n"
    )


def test_all_experiments_together_do_not_accept_contestants(tmp_path):
    refused = run("run", "all", "--contestant", "x", "--store", tmp_path / "a.duckdb")
    assert refused.returncode == 2
    assert refused.stderr.startswith(
        "autostrada: --contestant, --workload, --set and --page apply to one"
    )
