"""Published tables beside measured ones."""

from dataclasses import replace

import pytest
from tests.unit.report.market import RUN

from autostrada.report.number import THIN_SPACE
from autostrada.report.published import (
    parameters,
    published_tables,
)
from autostrada.stats.verdict import Bottleneck


@pytest.fixture(scope="module")
def tables(market):
    return published_tables(market)


def test_the_parameters_of_a_point_are_in_its_name():
    assert parameters("json processes=2 stocks=10") == {
        "processes": "2",
        "stocks": "10",
    }
    assert parameters("json") == {}


def test_two_parameters_make_a_grid(tables):
    grid = tables[0]
    assert (grid.rows_title, grid.columns_title) == ("processes", "stocks")
    assert grid.columns == ("1", "10")
    assert [row.name for row in grid.rows] == ["1", "2"]
    assert [[pair.theirs for pair in row.pairs] for row in grid.rows] == [
        ["500", "500"],
        ["disconnected", "100"],
    ]
    assert grid.who == "ada-server"


def test_a_measured_figure_has_an_interval_and_a_ratio(tables):
    pair = tables[0].rows[0].pairs[0]
    assert pair.ours.replace(THIN_SPACE, " ") == "1 000"
    assert pair.bounds.replace(THIN_SPACE, " ") == "990–1 010"
    assert (pair.ratio, pair.ratio_bounds) == ("2.00×", "1.98–2.02")
    assert (pair.bottleneck, pair.absence) == ("server CPU", "")
    assert "Server at 100% of its cores" in pair.evidence


def test_figures_and_ratios_are_bounds_if_the_engine_was_the_limit(market, ada_cell):
    outcome = market.outcomes[ada_cell]
    verdict = replace(outcome.verdict, bottleneck=Bottleneck.LOAD_GENERATOR)
    outcomes = market.outcomes | {ada_cell: replace(outcome, verdict=verdict)}
    pair = published_tables(replace(market, outcomes=outcomes))[0].rows[0].pairs[0]
    assert pair.ours.replace(THIN_SPACE, " ") == "≥ 1 000"
    assert (pair.ratio, pair.bottleneck) == ("≥ 2.00×", "load generator")


def test_published_notes_are_shown_and_have_no_ratio(tables):
    without_value, with_value = tables[0].rows[1].pairs
    assert (without_value.theirs, without_value.note, without_value.ratio) == (
        "disconnected",
        "",
        "",
    )
    assert without_value.ours == "800"
    assert (with_value.theirs, with_value.note) == ("100", "by hand")


def test_without_parameters_the_table_is_a_list(tables):
    assert tables[1].rows_title == ""
    assert [row.name for row in tables[1].rows] == [
        "json processes=1 stocks=1",
        "json processes=2 stocks=1",
        "json processes=2 stocks=10",
        "dart-server · json processes=1 stocks=1",
    ]


def test_a_failed_cell_has_a_reason(tables):
    pairs = [row.pairs[0] for row in tables[1].rows]
    assert [pair.absence for pair in pairs] == [
        "",
        "2 of 2 clients disconnected.",
        "out of memory: killed at 8 GiB after 41 s",
        "not installed: dart is missing: apt install dart",
    ]


def test_a_very_small_ratio_is_a_fraction(tables):
    pair = tables[1].rows[1].pairs[0]
    assert pair.ratio.replace(THIN_SPACE, " ") == "1/43 462×"
    assert pair.ratio_bounds == ""


def test_an_empty_place_of_a_grid_stays_empty(results_of):
    published = RUN.published.replace(
        '{ workload = "json processes=2 stocks=1", note = "disconnected" },', ""
    )
    tables = published_tables(
        results_of(attempts=1, run=replace(RUN, published=published))
    )
    assert tables[0].rows[1].pairs[0] is None


def test_cells_that_the_run_did_not_include_are_missing(results_of):
    plan = RUN.plan.replace('"cobol-server", ', "")
    tables = published_tables(results_of(attempts=1, run=replace(RUN, plan=plan)))
    assert tables[1].rows[0].pairs[0].absence == "not tested"


def test_without_a_publication_there_is_no_table(results_of):
    assert (
        published_tables(results_of(attempts=1, run=replace(RUN, published=""))) == []
    )
