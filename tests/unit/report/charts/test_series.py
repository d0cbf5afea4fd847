"""The series' chart: a line for every counted repetition."""

from dataclasses import replace

import pytest

from autostrada.report.charts.series import series_chart
from autostrada.report.race.race import read_race


@pytest.fixture(scope="module")
def race(reader):
    return read_race(reader)


@pytest.fixture
def lines(rows_of):
    def last_points(drawing):
        rows = rows_of(drawing, "contestant", "repetition", "at_s", "received")
        return {
            (row["contestant"], row["repetition"]): (row["at_s"], row["received"])
            for row in rows
        }

    return last_points


def test_every_counted_repetition_ends_with_all_messages(race, lines):
    ends = lines(series_chart(race, race.rankings[0]))
    assert len(ends) == 19
    assert {received for _, received in ends.values()} == {1_000_000}
    assert ends["bash-slow", 2] == (4, 1_000_000)


def test_only_the_lines_of_its_workload_are_drawn(race, lines):
    ends = lines(series_chart(race, race.rankings[1]))
    assert {received for _, received in ends.values()} == {200_000}


def test_a_contestant_has_the_same_colour_in_every_workload(race):
    legends = [series_chart(race, ranking).legend for ranking in race.rankings]
    assert legends[0] == legends[1]
    assert len({key.colour for key in legends[0]}) == 4


def test_no_figures_make_no_chart(race):
    ranking = replace(race.rankings[0], reference=None, standings=())
    assert series_chart(race, ranking) is None
