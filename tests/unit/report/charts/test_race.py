"""The race's chart: every median, sample and failure is in it."""

from dataclasses import replace

import pytest

from autostrada.report.charts.race import race_chart
from autostrada.report.race.race import read_race


@pytest.fixture(scope="module")
def race(reader):
    return read_race(reader)


MEDIAN = ("contestant", "ms", "low", "high", "label", "interval", "limit", "kind")


def test_every_contestant_with_figures_has_its_median_and_interval(race, rows_of):
    rows = rows_of(race_chart(race.rankings[0]), *MEDIAN)
    assert [(row["contestant"], row["ms"]) for row in rows] == [
        ("reference", 20),
        ("ada-fast", 200),
        ("cobol-mid", 398),
        ("bash-slow", 4000),
    ]
    assert (rows[1]["low"], rows[1]["high"]) == (196, 204)
    assert [row["kind"] for row in rows] == ["reference", *["library"] * 3]


def test_every_repetition_is_drawn(race, rows_of):
    samples = rows_of(race_chart(race.rankings[0]), "contestant", "ms")
    assert len(samples) == 5 + 5 + 4 + 5


def test_what_the_server_limited_is_drawn_as_a_bound(race, rows_of):
    drawing = race_chart(race.rankings[1])
    rows = rows_of(drawing, *MEDIAN)
    assert {row["contestant"]: row["kind"] for row in rows} == {
        "reference": "reference",
        "ada-fast": "bound",
        "cobol-mid": "bound",
        "bash-slow": "library",
    }
    assert "the engine was the limit" in str(drawing.legend)


def test_a_legend_has_only_what_is_drawn(race):
    labels = [key.label for key in race_chart(race.rankings[0]).legend]
    assert not any("server" in label for label in labels)


def test_a_failed_contestant_keeps_its_row(race, rows_of):
    rows = rows_of(race_chart(race.rankings[0]), "contestant", "kind")
    assert rows == [{"contestant": "dart-missing", "kind": "requirement missing"}]


def test_no_figures_make_no_chart(race):
    assert race_chart(replace(race.rankings[0], reference=None, standings=())) is None
