"""Published tables beside what was measured."""

from dataclasses import replace

import pytest
from tests.unit.report.market import RUN

from autostrada.report.published import published_tables


@pytest.mark.parametrize(
    ("seconds", "shown"), [(120, "10 s instead of 120 s"), (10, ""), (None, "")]
)
def test_a_shorter_trial_than_the_published_one_says_so(market, seconds, shown):
    table = market.publication.table[0].model_copy(update={"seconds": seconds})
    publication = market.publication.model_copy(update={"table": (table,)})
    [shortened] = published_tables(replace(market, publication=publication))
    assert shortened.rows[0].pairs[0].shortened == shown


def test_cells_that_the_run_does_not_include_are_counted(results_of):
    plan = RUN.plan.replace('"cobol-server", ', "")
    tables = published_tables(results_of(attempts=0, run=replace(RUN, plan=plan)))
    pair = tables[1].rows[0].pairs[0]
    assert (pair.is_tested, pair.absence, pair.ours) == (False, "", "")
    assert tables[1].untested_note == "3 of 4 cells are not tested by this run."
    assert tables[0].untested_note == ""


def test_without_a_publication_there_are_no_tables(market):
    alone = replace(market, publication=None)
    assert published_tables(alone) == []
