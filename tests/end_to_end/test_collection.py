"""The index in a real browser, and a command about all experiments."""

import pytest
from command_line import autostrada
from tests.unit.report.market import write_market

from autostrada.report.site import write_index


@pytest.fixture(scope="module")
def page_url(tmp_path_factory):
    store = write_market(tmp_path_factory.mktemp("index") / "market.duckdb")
    return write_index(store).as_uri()


@pytest.mark.parametrize("width", [320, 375, 1280])
def test_nothing_is_wider_than_the_screen(opened, width):
    page = opened(width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_missing_store_is_reported_in_one_line(tmp_path):
    store = tmp_path / "none.duckdb"
    refused = autostrada("archive", "--store", store)
    assert refused.returncode == 2
    assert refused.stderr == (
        f"autostrada: {store} does not exist; autostrada run creates it\n"
    )
