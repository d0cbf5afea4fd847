"""A race in short."""

import pytest

from autostrada.report.experiment.results import read_results
from autostrada.report.race.race import read_race
from autostrada.report.race.summary import race_summary


@pytest.fixture(scope="module")
def summary(reader):
    return race_summary(read_race(reader), read_results(reader))


def test_it_says_who_won(summary):
    assert summary.headline.startswith("ada-fast is the fastest.")


def test_it_counts_what_held_cells_back(summary):
    assert summary.verdicts == {"client CPU": 4, "engine": 2, "failed": 2}
    assert list(summary.verdicts) == ["client CPU", "engine", "failed"]


def test_its_table_has_a_row_for_each_contestant_and_all_workloads(summary):
    lines = summary.markdown.splitlines()
    assert lines[0] == (
        "| contestant | batched, ms/1M | to best | limit | one-by-one, ms/1M | to best "
        "| limit |"
    )
    rows = {line.split(" | ")[0].strip("| "): line for line in lines[2:7]}
    assert list(rows)[:2] == ["reference", "ada-fast"]
    assert "| 200 | 1.00× | client CPU | ≤ 2,000 |" in rows["ada-fast"]
    assert "requirement missing" in rows["dart-missing"]


def test_bounds_are_explained(summary):
    assert "≤ and ≥ mark bounds" in summary.markdown


def test_its_picture_is_the_first_workloads(summary):
    assert summary.picture == "race-batched"
