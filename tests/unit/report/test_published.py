"""Published tables beside measured ones."""

from dataclasses import replace

import pytest
from tests.unit.report.market import RUN

from autostrada.report.number import THIN_SPACE
from autostrada.report.published import (
    published_tables,
    systems,
)
from autostrada.stats.verdict import Bottleneck


@pytest.fixture(scope="module")
def tables(market):
    return published_tables(market)


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


def test_a_measured_metric_has_an_interval_and_a_ratio(tables):
    pair = tables[0].rows[0].pairs[0]
    assert pair.ours.replace(THIN_SPACE, " ") == "1,000"
    assert pair.bounds.replace(THIN_SPACE, " ") == "990–1,010"
    assert (pair.ratio, pair.ratio_bounds) == ("2.00×", "1.98–2.02")
    assert (pair.bottleneck, pair.absence) == ("server CPU", "")
    assert "Server at 100% of its cores" in pair.evidence


def test_metrics_and_ratios_are_bounds_if_the_engine_was_the_limit(market, ada_cell):
    outcome = market.outcomes[ada_cell]
    verdict = replace(outcome.verdict, bottleneck=Bottleneck.LOAD_GENERATOR)
    outcomes = market.outcomes | {ada_cell: replace(outcome, verdict=verdict)}
    pair = published_tables(replace(market, outcomes=outcomes))[0].rows[0].pairs[0]
    assert pair.ours.replace(THIN_SPACE, " ") == "≥ 1,000"
    assert (pair.ratio, pair.bottleneck) == ("≥ 2.00×", "load generator")


@pytest.mark.parametrize(
    ("seconds", "shown"), [(120, "10 s instead of 120 s"), (10, ""), (None, "")]
)
def test_a_shorter_trial_than_the_published_one_says_so(market, seconds, shown):
    table = market.publication.table[0].model_copy(update={"seconds": seconds})
    publication = market.publication.model_copy(update={"table": (table,)})
    [shortened] = published_tables(replace(market, publication=publication))
    assert shortened.rows[0].pairs[0].shortened == shown


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


def test_a_ratio_of_another_order_of_magnitude_is_only_a_limit(tables):
    assert tables[1].rows[1].pairs[0].ratio == "<0.01×"
    assert tables[1].rows[1].pairs[0].ratio_bounds == ""


def test_metrics_are_shown_in_the_published_unit(tables):
    pair = tables[1].rows[0].pairs[0]
    assert tables[1].unit == "s"
    assert tables[1].caption.endswith("mean latency, in s, lower is better")
    assert pair.theirs.replace(THIN_SPACE, " ") == "0.0002"
    assert pair.ours.replace(THIN_SPACE, " ") == "0.0010"
    assert pair.bounds.replace(THIN_SPACE, " ") == "0.0010–0.0010"
    assert pair.ratio == "5.20×"


def test_a_published_unit_is_only_in_the_caption(tables):
    pair = tables[2].rows[0].pairs[0]
    assert "as messages in 10 s" in tables[2].caption
    assert pair.ours.replace(THIN_SPACE, " ") == "10,000"
    assert pair.bounds.replace(THIN_SPACE, " ") == "9,900–10,100"


def test_both_published_values_of_a_cell_are_compared(tables):
    pair = tables[2].rows[0].pairs[0]
    assert pair.theirs.replace(THIN_SPACE, " ") == "20,000 or 1,000,000"
    assert (pair.ratio, pair.ratio_bounds) == ("0.50× or 0.010×", "")


def test_a_published_bound_has_no_ratio(tables):
    at_least, at_most, inconclusive = (row.pairs[0] for row in tables[2].rows[1:])
    assert at_least.theirs.replace(THIN_SPACE, " ") == "≥ 4,000"
    assert at_least.ratio == "within this bound"
    assert at_most.theirs.replace(THIN_SPACE, " ") == "≤ 4,000"
    assert at_most.ratio == "beyond this bound"
    assert inconclusive.ratio == ""
    assert inconclusive.ours.replace(THIN_SPACE, " ") == "8,000"
    assert {pair.ratio_bounds for pair in (at_least, at_most, inconclusive)} == {""}


def test_an_empty_place_of_a_grid_stays_empty(results_of):
    published = RUN.published.replace(
        '{ workload = "json processes=2 stocks=1", note = "disconnected" },', ""
    )
    tables = published_tables(
        results_of(attempts=1, run=replace(RUN, published=published))
    )
    assert tables[0].rows[1].pairs[0] is None


def test_cells_that_the_run_does_not_include_are_counted(results_of):
    plan = RUN.plan.replace('"cobol-server", ', "")
    tables = published_tables(results_of(attempts=1, run=replace(RUN, plan=plan)))
    pair = tables[1].rows[0].pairs[0]
    assert (pair.is_tested, pair.absence, pair.ours) == (False, "", "")
    assert tables[1].untested_note == "3 of 4 cells are not tested by this run."
    assert tables[0].untested_note == ""


def test_every_system_of_the_publication_is_listed(market, results_of):
    algol, cobol, abacus = systems(market)
    assert (algol.name, algol.version, algol.by) == ("Algol", "60", ("ada-server",))
    assert [str(each.state) for each in (algol, cobol, abacus)] == [
        "replaced",
        "measured",
        "not available",
    ]
    without = replace(RUN, published="")
    assert systems(results_of(attempts=1, run=without)) == ()


def test_without_a_publication_there_is_no_table(results_of):
    assert (
        published_tables(results_of(attempts=1, run=replace(RUN, published=""))) == []
    )
