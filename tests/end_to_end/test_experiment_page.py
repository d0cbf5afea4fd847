"""The page of an experiment in a real browser: offline, and on narrow screens."""

import pytest
from tests.unit.report.market import write_market

from autostrada.report.pages.run_page import write_page

DESKTOP = 1280


@pytest.fixture(scope="module")
def page_url(tmp_path_factory):
    path = tmp_path_factory.mktemp("browser") / "market.duckdb"
    return write_page(write_market(path, repetitions=7)).as_uri()


@pytest.mark.parametrize("width", [320, 375, 768, 1280])
def test_nothing_but_tables_is_wider_than_the_screen(opened, width):
    assert opened.overflowing(width) == []


def test_the_verdict_of_each_conclusion_is_visible(opened):
    page = opened(DESKTOP)
    assert page.locator(".finding").all_text_contents() == [
        "confirmed",
        "contradicted",
        "inconclusive",
        "not tested",
        "confirmed",
        "not tested",
    ]
    reason = page.get_by_text("at least 3.00×: it is not met, after 3 rounds.")
    assert reason.count() == 0
    page.locator("table:has(.finding) button[aria-expanded]").nth(1).click()
    assert reason.is_visible()


def test_a_group_of_metrics_opens(opened):
    page = opened(DESKTOP)
    group = page.locator("details", has_text="Latency (7 cells)").first
    metric = group.get_by_text("1.04").first
    assert metric.count() == 0
    group.locator("summary").click()
    assert metric.is_visible()
