"""The chart of published figures beside measured ones."""

from dataclasses import replace

import pytest

from autostrada.report.charts.published import published_chart
from autostrada.report.race.race import read_race


@pytest.fixture(scope="module")
def race(reader):
    return read_race(reader)


def test_every_figure_of_every_table_is_a_point(race, rows_of):
    drawing = published_chart(race)
    rows = rows_of(drawing, "contestant", "to_winner", "ratio", "source")
    points = {(row["contestant"], row["source"]): row["to_winner"] for row in rows}
    assert points["ada-fast", "Their table"] == 3
    assert points["erlang-absent", "Their table"] == 1
    assert points["bash-slow", "measured, batched"] == 20
    assert len(points) == 2 + 3 + 3


def test_published_and_measured_differ_in_shape_and_colour(race):
    legend = published_chart(race).legend
    assert [key.shape for key in legend] == ["hollow", "dot", "dot"]
    assert len({key.colour for key in legend}) == 3


def test_what_was_not_measured_here_says_so(race):
    assert "not measured here" in str(published_chart(race).spec)


def test_nothing_published_makes_no_chart(race):
    experiment = race.experiment.model_copy(update={"published": ()})
    assert published_chart(replace(race, experiment=experiment)) is None
