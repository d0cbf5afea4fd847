"""The tables of a race as they are downloaded."""

import pytest

from autostrada.report.race.race import read_race
from autostrada.report.race.tables import race_tables


@pytest.fixture(scope="module")
def tables(reader):
    return race_tables(read_race(reader))


def test_there_is_one_for_each_workload_and_one_of_what_was_published(tables):
    assert list(tables) == ["table-batched", "table-one-by-one", "table-published"]


def test_a_row_has_figures_bounds_and_the_limit(tables):
    rows = {row["contestant"]: row for row in tables["table-batched"].rows}
    fast = rows["ada-fast"]
    assert (fast["rank"], fast["ms_per_million"]) == (1, 200)
    assert (fast["ms_per_million_low"], fast["ms_per_million_high"]) == (196, 204)
    assert fast["to_reference"] == 10
    assert fast["limit"] == "client CPU"
    assert fast["version"] == "1.2.3"
    assert rows["reference"]["to_fastest"] is None


def test_a_bound_is_marked(tables):
    rows = {row["contestant"]: row for row in tables["table-one-by-one"].rows}
    assert rows["ada-fast"]["is_upper_bound"]
    assert not rows["bash-slow"]["is_upper_bound"]


def test_what_failed_is_a_row_that_says_how(tables):
    rows = {row["contestant"]: row for row in tables["table-batched"].rows}
    assert rows["cobol-mid"]["failed_repetitions"] == 1
    assert rows["cobol-mid"]["failures"] == "crashed"
    assert "ms_per_million" not in rows["dart-missing"]


def test_published_and_measured_stand_in_one_table(tables):
    rows = {
        (row["source"], row["contestant"]): row
        for row in tables["table-published"].rows
    }
    assert rows["Their table", "ada-fast"]["to_winner"] == 3
    assert rows["measured, batched", "bash-slow"]["ms_per_million"] == 4000
